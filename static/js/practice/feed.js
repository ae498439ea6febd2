/** Hands and their values from the server. */

/**
 * @import { Action, Question } from "./sentences.js"
 * @typedef {{values: Record<Action, number>, insurance: number|null,
 *   chances: Partial<Record<Action, [number, number, number]>>}} Values
 */

/** The server's sentence on a request that it refused; empty if the line is away. */
export class RefusedError extends Error {}

/** @param {string} url @param {Record<string, string>} query */
async function ask(url, query) {
  const answer = await fetch(`${url}&${new URLSearchParams(query)}`).catch(() => null);
  if (answer?.ok) return answer.json();
  const body = await answer?.json().catch(() => null);
  throw new RefusedError(body?.error ?? "");
}

/**
 * @param {string} url @param {string} hands the kind of hands @param {[string, number][]} missed
 * @returns {Promise<Question>}
 */
export function fetchHand(url, hands, missed) {
  return ask(url, { hands, missed: missed.map((each) => each.join(":")).join(",") });
}

/** @param {string} url @param {Question} question @returns {Promise<Values>} */
export function fetchValues(url, question) {
  const cards = { hand: question.hand.join(" "), up: question.up };
  return ask(url, question.asks_insurance ? { ...cards, asks: "insurance" } : cards);
}

/**
 * Sends figures to the account.
 * @param {string} url @param {object} body @param {string} token against forged requests
 */
export async function sendProgress(url, body, token) {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRFToken": token },
    body: JSON.stringify(body),
  });
  if (!answer.ok || answer.redirected) throw new RefusedError("");
  return (await answer.json()).games;
}
