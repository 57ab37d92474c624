import { signal } from "@preact/signals";
import * as texts from "../texts/frame.ts";

/** Current time in milliseconds since 1970, for displaying ages. Updated every second while the page is visible. */
export const now = signal(Date.now());

setInterval(() => {
	if (document.visibilityState === "visible") now.value = Date.now();
}, 1_000);
document.addEventListener("visibilitychange", () => {
	now.value = Date.now();
});

const steps: readonly (readonly [unit: string, seconds: number])[] = [
	["d", 86_400],
	["h", 3_600],
	["min", 60],
];

/** Formats a duration in at most two units: `1 h 4 min`, `12.3 s`, `340 ms`. */
export function toDuration(seconds: number): string {
	if (seconds < 1) return `${Math.max(0, Math.round(seconds * 1_000))} ms`;
	if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.floor(seconds)} s`;
	const [index, [unit, size] = ["s", 1]] = [...steps.entries()].find(([, [, size]]) => seconds >= size) ?? [0];
	const [smaller, small] = steps[index + 1] ?? ["s", 1];
	const rest = Math.floor((seconds % size) / small);
	return `${Math.floor(seconds / size)} ${unit}${rest === 0 ? "" : ` ${rest} ${smaller}`}`;
}

/** Formats an age, rounded down to one unit. A negative age, caused by a slow browser clock, counts as zero. */
export function toAgo(milliseconds: number): string {
	const seconds = Math.max(0, milliseconds / 1_000);
	if (seconds < 5) return texts.now;
	if (seconds < 60) return texts.ago(`${Math.floor(seconds)} s`);
	const [unit, size] = steps.find(([, size]) => seconds >= size) ?? ["s", 1];
	return texts.ago(`${Math.floor(seconds / size)} ${unit}`);
}

/**
 * Converts the content of a time input, which is in the browser's time zone, to a UTC timestamp for the API. A string that is not a time is
 * returned unchanged, so that the service rejects it. Returns undefined for an empty string.
 */
export function toTime(text: string): string | undefined {
	const time = Date.parse(text);
	return Number.isNaN(time) ? text || undefined : new Date(time).toISOString();
}
