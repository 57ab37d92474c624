import { readFileSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { toErrorMessage } from "../../contract/index.ts";

/** A directory that results do not tell, and what stands for it and its final slash. */
export type HiddenPlace = readonly [directory: string, shown: string];

/** Directory of the service's code, with a slash at its end. */
const codeDirectory = findCodeDirectory(dirname(fileURLToPath(import.meta.url)));

/**
 * Returns what an execution shows of an error: its message, and its stack without the frames of the service, its dependencies and Node.js. Frames
 * of code that the site has added, such as its own plugins, remain. Users who may see results learn what failed, but not where the service,
 * its data and its plugins lie on the machine.
 */
export function toErrorResult(error: unknown, hidden: readonly HiddenPlace[] = []): { readonly error: string; readonly traceback: string } {
	const places = [...hidden, [codeDirectory, ""] as const];
	const lines = error instanceof Error ? toLines(error) : [String(error)];
	return { error: hide(toErrorMessage(error), places), traceback: hide(lines.join("\n"), places) };
}

/**
 * Returns the outermost directory above this file that is the package of the service. How far up that is differs between sources and bundles,
 * and stacks of bundles name the sources.
 */
function findCodeDirectory(start: string): string {
	let found = start;
	for (let directory = start; directory !== dirname(directory); directory = dirname(directory)) {
		if (isPackage(directory)) found = directory;
	}
	return found + sep;
}

function isPackage(directory: string): boolean {
	try {
		return JSON.parse(readFileSync(join(directory, "package.json"), "utf8")).name === "svc-automation";
	} catch {
		return false;
	}
}

function toLines({ name, message, stack = "" }: Error): readonly string[] {
	const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
	return [`${name}: ${message}`, ...frames.flatMap((frame) => toForeignFrame(frame) ?? [])];
}

function hide(text: string, places: readonly HiddenPlace[]): string {
	return places.reduce((shown, [directory, name]) => {
		const place = directory.endsWith(sep) ? directory.slice(0, -1) : directory;
		return place === "" ? shown : shown.replaceAll(place + sep, name).replaceAll(place, name === "" ? "." : name);
	}, text);
}

/** Returns a frame with the name of its file alone; undefined for code of the service, its dependencies and Node.js. */
function toForeignFrame(frame: string): string | undefined {
	if (frame.includes("(node:") || frame.includes("at node:")) return undefined;
	const location = findLocation(frame);
	const path = location.startsWith("file:") ? fileURLToPath(location) : location;
	if (path === "" || path.startsWith(codeDirectory) || path.includes(`${sep}node_modules${sep}`)) return undefined;
	return frame.replace(location, basename(path));
}

/** The path or file URL at the end of a frame, in front of line and column; empty if there is none. It takes linear time, as messages of any length hold such lines. */
function findLocation(frame: string): string {
	const [position] = /:\d+:\d+\)?$/.exec(frame.slice(-40)) ?? [];
	if (position === undefined) return "";
	const head = frame.slice(0, frame.length - position.length);
	const written = head.slice(Math.max(head.lastIndexOf("("), head.lastIndexOf(")")) + 1);
	const slash = written.indexOf("/");
	if (slash === -1) return "";
	const begin = slash - "file:".length;
	return written.startsWith("file://", Math.max(begin, 0)) ? written.slice(Math.max(begin, 0)) : written.slice(slash);
}
