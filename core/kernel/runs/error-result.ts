import { basename, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { toErrorMessage } from "../../contract/index.ts";

/** A directory that results do not tell, and what stands for it and its final slash. */
export type HiddenPlace = readonly [directory: string, shown: string];

/** Of the service's code, with a slash at its end. */
const codeDirectory = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * What an execution shows of an error: its message, and its stack with the places in the service's own files counted from its code.
 * Whoever may see results learns what failed, and not where on the machine the service, its data and its plugins lie.
 */
export function toErrorResult(error: unknown, hidden: readonly HiddenPlace[] = []): { readonly error: string; readonly traceback: string } {
	const places = [...hidden, [codeDirectory, ""] as const];
	const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
	const lines = stack.split("\n").map((line) => (/^\s+at /.test(line) ? hideLocation(line) : hide(line, places)));
	return { error: hide(toErrorMessage(error), places), traceback: lines.join("\n") };
}

function hide(text: string, places: readonly HiddenPlace[]): string {
	return places.reduce((shown, [directory, name]) => {
		const place = directory.endsWith(sep) ? directory.slice(0, -1) : directory;
		return place === "" ? shown : shown.replaceAll(place + sep, name).replaceAll(place, name === "" ? "." : name);
	}, text);
}

/** A frame's file from the package; of others, such as plugins of the site, the name alone. */
function hideLocation(frame: string): string {
	return frame.replace(/(?:file:\/\/)?\/[^()]*(?=:\d+:\d+\)?$)/, (location) => {
		const path = location.startsWith("file:") ? fileURLToPath(location) : location;
		return path.startsWith(codeDirectory) ? path.slice(codeDirectory.length) : basename(path);
	});
}
