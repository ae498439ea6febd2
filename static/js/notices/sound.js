/**
 * Sounds, computed here without files. Browsers allow them after the first touch or key.
 *
 * @typedef {[frequency: number, delay: number, seconds: number, loudness: number]} Tone in Hz and seconds; 1 is full
 * @typedef {"chip"|"turn"|"win"|"lose"|"push"} Tune
 * @typedef {""|"card"|Tune} SoundName "" for silence
 * @typedef {ReturnType<typeof createSound>} Sound
 */

/** @type {Record<Tune, Tone[]>} */
const TONES = {
  chip: [
    [2_300, 0, 0.05, 0.05],
    [3_100, 0.05, 0.06, 0.04],
  ],
  turn: [
    [660, 0, 0.22, 0.09],
    [880, 0.13, 0.3, 0.08],
  ],
  win: [
    [523, 0, 0.2, 0.07],
    [659, 0.11, 0.2, 0.07],
    [784, 0.22, 0.4, 0.07],
  ],
  lose: [
    [294, 0, 0.25, 0.07],
    [220, 0.16, 0.4, 0.06],
  ],
  push: [
    [440, 0, 0.18, 0.06],
    [440, 0.17, 0.25, 0.05],
  ],
};
const CARD = { seconds: 0.07, loudness: 0.16, frequency: 2_600 };
/** The same sound is not made twice within so many milliseconds. */
const APART = 70;

/** @param {{isOn: () => boolean}} options */
export function createSound({ isOn }) {
  /** @type {AudioContext|null} */
  let context = null;
  /** @type {AudioBuffer|null} */
  let rustle = null;
  /** @type {Map<SoundName, number>} */
  const madeAt = new Map();

  /** A browser lets a page sound only once it was touched. */
  function wake() {
    if (!isOn() || !window.AudioContext) return;
    context ??= new AudioContext();
    if (context.state === "suspended") context.resume().catch(() => {});
  }

  for (const touch of ["pointerdown", "keydown"])
    document.addEventListener(touch, wake, { capture: true, passive: true });

  /**
   * A gain that rises at once and dies away.
   * @param {AudioContext} context @param {number} at @param {number} seconds @param {number} loudness
   */
  function fading(context, at, seconds, loudness) {
    const gain = context.createGain();
    gain.gain.setValueAtTime(0.0001, at);
    gain.gain.exponentialRampToValueAtTime(loudness, at + 0.012);
    gain.gain.exponentialRampToValueAtTime(0.0001, at + seconds);
    gain.connect(context.destination);
    return gain;
  }

  /** @param {AudioContext} context @param {Tone} tone */
  function ring(context, [frequency, delay, seconds, loudness]) {
    const at = context.currentTime + delay;
    const tone = new OscillatorNode(context, { type: "sine", frequency });
    tone.connect(fading(context, at, seconds, loudness));
    tone.start(at);
    tone.stop(at + seconds);
  }

  /** A card on cloth: a breath of noise. @param {AudioContext} context */
  function brush(context) {
    rustle ??= noise(context, CARD.seconds);
    const source = new AudioBufferSourceNode(context, { buffer: rustle });
    const filter = new BiquadFilterNode(context, {
      type: "bandpass",
      frequency: CARD.frequency,
      Q: 0.8,
    });
    source
      .connect(filter)
      .connect(fading(context, context.currentTime, CARD.seconds, CARD.loudness));
    source.start();
  }

  return {
    wake,
    /** @param {SoundName} name */
    make(name) {
      if (!name || !isOn() || context?.state !== "running") return;
      const now = performance.now();
      if (now - (madeAt.get(name) ?? -APART) < APART) return;
      madeAt.set(name, now);
      if (name === "card") brush(context);
      else for (const tone of TONES[name]) ring(context, tone);
    },
  };
}

/** @param {AudioContext} context @param {number} seconds */
function noise(context, seconds) {
  const buffer = context.createBuffer(
    1,
    Math.ceil(context.sampleRate * seconds),
    context.sampleRate,
  );
  const samples = buffer.getChannelData(0);
  for (let index = 0; index < samples.length; index += 1) samples[index] = Math.random() * 2 - 1;
  return buffer;
}

/** @type {Partial<Record<Wire.Event["type"], SoundName>>} */
const OF_EVENTS = {
  card_dealt: "card",
  dealer_card_dealt: "card",
  hole_card_revealed: "card",
  bet_placed: "chip",
  hand_doubled: "chip",
  hand_split: "chip",
  insurance_taken: "chip",
};

/**
 * The sound of an event; "" for silence. `net` is my settled result of the round, else null.
 * @param {Wire.Event} event @param {number|null} net @returns {SoundName}
 */
export function getSound(event, net) {
  if (net !== null) return net > 0 ? "win" : net < 0 ? "lose" : "push";
  if (event.type === "bet_placed" && !event.stake) return "";
  return OF_EVENTS[event.type] ?? "";
}
