/** The page of new recovery codes: a button that saves them as a file. */

const button = document.getElementById("save-codes");
const list = document.getElementById("recovery-codes");
if (button && list) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const codes = [...list.children].map((item) => item.textContent?.trim() ?? "");
    const file = new Blob([`${codes.join("\n")}\n`], { type: "text/plain" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file);
    link.download = "recovery-codes.txt";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  });
}
