import { SvcError } from "../../../contract/index.ts";
import { quote } from "./plain-path.ts";

const manifest = "pack.yaml";
const mostNamed = 5;

export interface PackPlace {
	readonly subdirectory: string | undefined;
	/** Of files in an archive the folder around all of them does not count. */
	readonly isArchive: boolean;
}

/**
 * The folder, among these files, that is the pack: the one that was asked for, else the outermost; archives often have a single folder
 * around everything. `SVC_INVALID` names the folders that are packs.
 */
export function findPackRoot(files: readonly string[], { subdirectory, isArchive }: PackPlace): string {
	const roots = files.flatMap((file) =>
		file === manifest ? [""] : file.endsWith(`/${manifest}`) ? [file.slice(0, -manifest.length - 1)] : [],
	);
	const outer = isArchive ? findOuterFolder(files) : undefined;
	const candidates =
		subdirectory === undefined
			? ["", ...(outer === undefined ? [] : [outer])]
			: [subdirectory, ...(outer === undefined ? [] : [`${outer}/${subdirectory}`])];
	const found = candidates.find((candidate) => roots.includes(candidate));
	if (found !== undefined) return found;
	const place = subdirectory === undefined ? "there" : `in folder ${quote(subdirectory)}`;
	if (roots.length === 0) throw new SvcError("SVC_INVALID", `no pack is ${place}: a pack has a file pack.yaml`);
	const inner = roots.map((root) => (outer !== undefined && root.startsWith(`${outer}/`) ? root.slice(outer.length + 1) : root)).sort();
	const more = inner.length > mostNamed ? `, and ${inner.length - mostNamed} more` : "";
	const named = inner.slice(0, mostNamed).map(quote).join(", ");
	throw new SvcError(
		"SVC_INVALID",
		`no pack is ${place}; these folders are packs: ${named}${more}; name one behind "#", as in …#${inner[0]}`,
	);
}

function findOuterFolder(files: readonly string[]): string | undefined {
	const names = new Set(files.map((file) => file.split("/", 1)[0]));
	const [name] = names;
	return names.size === 1 && files.every((file) => file.includes("/")) ? name : undefined;
}
