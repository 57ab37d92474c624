import { readFileSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { toErrorMessage } from "../../contract/index.ts";

/** Directory of the service's code, with a final slash. */
const codeDirectory = findCodeDirectory(dirname(fileURLToPath(import.meta.url)));

/**
 * Returns the result of an execution that failed with an error: its message, and its stack without frames of the service, its
 * dependencies and Node.js. Frames of code that the site has added, such as its own plugins, remain. Users who may see results learn what
 * failed, but not the directories of the service, its data and its plugins.
 *
 * @param hidden further directories whose paths are removed from message and stack
 */
export function toErrorResult(error: unknown, hidden: readonly string[] = []): { readonly error: string; readonly traceback: string } {
	const directories = [...hidden, codeDirectory];
	const lines = error instanceof Error ? toLines(error) : [String(error)];
	return { error: hide(toErrorMessage(error), directories), traceback: hide(lines.join("\n"), directories) };
}

/**
 * Returns the outermost directory above this file with the `package.json` of the service. Its distance differs between source files and
 * bundles, and stacks of bundles name the source files.
 */
function findCodeDirectory(start: string): string {
	let outermost = start;
	for (let directory = start; directory !== dirname(directory); directory = dirname(directory)) {
		if (isPackage(directory)) outermost = directory;
	}
	return outermost + sep;
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

/** Makes the paths in a text that are below one of the directories relative to it. */
function hide(text: string, directories: readonly string[]): string {
	return directories.reduce((redacted, directory) => {
		const path = directory.endsWith(sep) ? directory.slice(0, -1) : directory;
		return path === "" ? redacted : redacted.replaceAll(path + sep, "").replaceAll(path, ".");
	}, text);
}

/** Returns a stack frame with its path shortened to the file name; undefined for code of the service, its dependencies and Node.js. */
function toForeignFrame(frame: string): string | undefined {
	if (frame.includes("(node:") || frame.includes("at node:")) return undefined;
	const location = findLocation(frame);
	const path = location.startsWith("file:") ? fileURLToPath(location) : location;
	if (path === "" || path.startsWith(codeDirectory) || path.includes(`${sep}node_modules${sep}`)) return undefined;
	return frame.replace(location, basename(path));
}

/**
 * Returns the path or file URL at the end of a frame, before line and column; an empty string if there is none. Must take linear time,
 * because error messages of any length may contain such lines.
 */
function findLocation(frame: string): string {
	const [position] = /:\d+:\d+\)?$/.exec(frame.slice(-40)) ?? [];
	if (position === undefined) return "";
	const head = frame.slice(0, frame.length - position.length);
	const location = head.slice(Math.max(head.lastIndexOf("("), head.lastIndexOf(")")) + 1);
	const slash = location.indexOf("/");
	if (slash === -1) return "";
	const begin = slash - "file:".length;
	return location.startsWith("file://", Math.max(begin, 0)) ? location.slice(Math.max(begin, 0)) : location.slice(slash);
}
