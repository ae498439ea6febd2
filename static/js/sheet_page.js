/** The settlement sheet: its link, and a picture of it for a chat. */

import { byId, setText } from "./lib/dom.js";
import { gettext } from "./lib/i18n.js";
import { startPage } from "./net/start_page.js";
import { wireShare } from "./round/share_links.js";
import { drawSheet, readPicture } from "./round/sheet_picture.js";

startPage();

if (document.getElementById("share-done")) {
  wireShare(document);
  wirePicture();
}

function wirePicture() {
  const canvas = byId("sheet-picture", HTMLCanvasElement);
  const save = byId("picture-save");
  const share = byId("picture-share");
  drawSheet(canvas, readPicture());
  canvas.hidden = false;
  save.hidden = false;
  const name = save.dataset.name ?? "table.png";

  save.addEventListener("click", () => {
    canvas.toBlob((blob) => {
      if (!blob) return;
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
      setText(byId("share-done"), gettext("The picture is saved."));
    });
  });

  canvas.toBlob((blob) => {
    if (!blob) return;
    const files = [new File([blob], name, { type: "image/png" })];
    share.hidden = !navigator.canShare?.({ files });
    share.addEventListener("click", () => {
      navigator.share({ title: document.title, files }).catch(() => {});
    });
  });
}
