import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";
import { toColumnWidths, toParts } from "./column-widths.ts";
import { type Colour, colourOfState, isStateName, type Paint } from "./output-capabilities.ts";

/** A table as text. */
export interface Table {
	readonly text: string;
	/** Columns that did not fit. */
	readonly hidden: readonly string[];
}

type Rows = readonly (readonly string[])[];

/** How a table is laid out. */
export interface TableLayout {
	/** Maximum width in columns. Longer cells continue on further lines of their row. */
	readonly width: number;
	readonly paint: Paint;
	/** Times are shown relative to this one, in milliseconds since the epoch. Undefined: as they are. */
	readonly now: number | undefined;
	/** True if columns that do not fit are shown nevertheless; otherwise they are left out. */
	readonly keepAll: boolean;
}

/** Returns a table without frames: a line with the names of the columns, then one for each row. */
export function toTable(columns: readonly string[], rows: Rows, { width, paint, now, keepAll }: TableLayout): Table {
	const shown = [columns, ...rows.map((row) => row.map((cell) => (now === undefined ? cell : toShortTime(cell, now))))].map((row) =>
		row.map(withoutTabs),
	);
	// The last column needs no gap after it.
	const widths = toColumnWidths(transpose(shown), { available: width + 2, gap: 2, keepAll });
	const isState = columns.map(isStateName);
	const lines = shown.flatMap((row, index) => {
		const painted = row.map((cell, column): Colour | undefined =>
			index === 0 ? "bold" : isState[column] ? colourOfState(cell) : undefined,
		);
		return toLines(row, widths).map((cells) => toPainted(cells, painted, paint));
	});
	return { text: lines.join(""), hidden: columns.slice(widths.length) };
}

function toPainted(cells: readonly string[], colours: readonly (Colour | undefined)[], paint: Paint): string {
	const painted = cells.map((cell, column) => {
		const colour = colours[column];
		const text = cell.trimEnd();
		return colour === undefined || text === "" ? cell : paint(colour, text) + cell.slice(text.length);
	});
	return `${painted.join("  ").trimEnd()}\n`;
}

/** Returns the lines of a row. Each line has a string for every column, padded to the width of the column. */
function toLines(cells: readonly string[], widths: readonly number[]): string[][] {
	const wrapped = widths.map((width, index) => wrap(cells[index] ?? "", width));
	const height = Math.max(1, ...wrapped.map((lines) => lines.length));
	return Array.from({ length: height }, (_, line) => wrapped.map((lines, index) => pad(lines[line] ?? "", widths[index] ?? 0)));
}

function wrap(text: string, width: number): string[] {
	if (stringWidth(text) <= width && !text.includes("\n")) return [text];
	// Names break after dots and underscores before they break elsewhere.
	const parts = toParts(text);
	return parts.length > 1 ? joinParts(parts, width) : wrapAnsi(text, width, { hard: true }).split("\n");
}

function joinParts(parts: readonly string[], width: number): string[] {
	const lines: string[] = [];
	for (const part of parts) {
		const last = lines.at(-1);
		if (last !== undefined && stringWidth(last + part) <= width) lines[lines.length - 1] = last + part;
		else lines.push(...wrapAnsi(part, width, { hard: true }).split("\n"));
	}
	return lines;
}

function pad(text: string, width: number): string {
	return text + " ".repeat(Math.max(0, width - stringWidth(text)));
}

/** Replaces tabs with four spaces: the width of a tab depends on its column, so that cells could not be aligned. */
function withoutTabs(text: string): string {
	return text.replaceAll("\t", "    ");
}

function transpose(rows: Rows): readonly (readonly string[])[] {
	return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? ""));
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const pattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|\+00:00)$/;

/** Returns the distance from `now`, such as `3m ago`, or the date if it is 60 days or more. Returns other strings unchanged. */
function toShortTime(text: string, now: number): string {
	if (!pattern.test(text)) return text;
	const distance = now - Date.parse(text);
	const length = Math.abs(distance);
	if (!(length < 60 * day)) return text.slice(0, 10);
	const [unit, name] = length < minute ? [second, "s"] : length < hour ? [minute, "m"] : length < 2 * day ? [hour, "h"] : [day, "d"];
	const words = `${Math.floor(length / unit)}${name}`;
	return distance >= 0 ? `${words} ago` : `in ${words}`;
}
