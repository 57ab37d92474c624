import { createWriteStream } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { SvcError, toErrorMessage } from "../../../core/contract/index.ts";
import { readDirectory } from "./directory-files.ts";
import { httpGet, limited } from "./http-get.ts";
import { isInside } from "./local-source.ts";
import { quote } from "./pack-path.ts";
import { readGit } from "./read-git.ts";
import type { SourceSettings } from "./source-settings.ts";
import { readTar } from "./tar-archive.ts";
import type { UntrustedTree } from "./untrusted-tree.ts";
import { redactAddress } from "./url-credentials.ts";
import { readZip } from "./zip-archive.ts";

/** Source of the files, and the revision and folder to read. */
export interface WantedFiles {
	readonly kind: "git" | "archive" | "directory";
	readonly address: string;
	readonly revision: string | undefined;
	readonly subdirectory: string | undefined;
}

export interface ReadOptions {
	readonly settings: SourceSettings;
	readonly signal: AbortSignal;
	readonly emit: (line: string) => void;
	/** Directory for temporary files, which the caller removes. */
	readonly scratch: string;
	readonly tree: UntrustedTree;
}

export interface FoundFiles {
	/** Folder of the tree that contains the pack. */
	readonly root: string;
	readonly revision: string | null;
	/** Undefined unless the source is a git repository. */
	readonly commit: string | undefined;
}

/** Reads the files of a source into the tree, and finds the folder of the pack. */
export async function readSource(wanted: WantedFiles, options: ReadOptions): Promise<FoundFiles> {
	const { kind, subdirectory } = wanted;
	const { tree, emit } = options;
	const fetched = kind === "git" ? await readGit(wanted, options) : { revision: null, commit: undefined };
	if (kind === "archive") await readArchive(wanted.address, options);
	if (kind === "directory") await readDirectory(await toFolder(wanted), tree, emit);
	await tree.finish();
	const isArchive = kind === "archive";
	return { ...fetched, root: findPackRoot(tree.files, { subdirectory: isArchive ? subdirectory : undefined, isArchive }) };
}

/** Returns the real path of a folder in a directory. Throws `SVC_INVALID` if a link leads out of the directory. */
async function toFolder({ address, subdirectory = "" }: WantedFiles): Promise<string> {
	const folder = await realpath(join(address, subdirectory)).catch(() => undefined);
	if (folder === undefined) throw new SvcError("SVC_NOT_FOUND", `${quote(address)} has no directory ${quote(subdirectory)}`);
	if (!isInside(address, folder))
		throw new SvcError("SVC_INVALID", `directory ${quote(subdirectory)} is a link to a path outside ${quote(address)}`);
	return folder;
}

async function readArchive(address: string, options: ReadOptions): Promise<void> {
	const { tree, settings, signal } = options;
	const path = address.startsWith("/") ? address : await download(address, options);
	const read = (await isZip(path)) ? readZip : readTar;
	await read(path, tree, { limits: settings.limits, signal });
}

async function download(address: string, { scratch, settings, signal }: ReadOptions): Promise<string> {
	const path = join(scratch, "archive");
	const answer = await httpGet(address, { settings, signal });
	const name = `the archive ${quote(redactAddress(address))}`;
	try {
		await pipeline(limited(answer, settings.limits.size, name), createWriteStream(path, { mode: 0o600 }), { signal });
	} catch (error) {
		answer.destroy();
		if (error instanceof SvcError || signal.aborted) throw error;
		throw new SvcError("SVC_UNAVAILABLE", `${name} has broken off: ${toErrorMessage(error)}`, { cause: error });
	}
	return path;
}

/** Returns true if the file is a zip archive, judged by its first bytes, because the name of an archive is not reliable. */
async function isZip(path: string): Promise<boolean> {
	const file = await open(path);
	try {
		const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
		return buffer.toString("latin1", 0, 2) === "PK";
	} finally {
		await file.close();
	}
}

const manifest = "pack.yaml";
const maxNamed = 5;

interface PackPlace {
	readonly subdirectory: string | undefined;
	/** True if the files come from an archive. A single folder around all of its files is then ignored. */
	readonly isArchive: boolean;
}

/**
 * Returns the folder that contains the pack. It is the requested folder, or else the root; for archives, also the same path below a single
 * outer folder. Throws `SVC_INVALID`, which names the folders that contain packs.
 */
function findPackRoot(files: readonly string[], { subdirectory, isArchive }: PackPlace): string {
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
	const place = subdirectory === undefined ? "there" : `in directory ${quote(subdirectory)}`;
	if (roots.length === 0) throw new SvcError("SVC_INVALID", `no pack found ${place}: a pack has a file pack.yaml`);
	const inner = roots.map((root) => (outer !== undefined && root.startsWith(`${outer}/`) ? root.slice(outer.length + 1) : root)).sort();
	const more = inner.length > maxNamed ? `, and ${inner.length - maxNamed} more` : "";
	const named = inner.slice(0, maxNamed).map(quote).join(", ");
	throw new SvcError(
		"SVC_INVALID",
		`no pack found ${place}; these directories are packs: ${named}${more}; name one after "#", such as …#${inner[0]}`,
	);
}

function findOuterFolder(files: readonly string[]): string | undefined {
	const names = new Set(files.map((file) => file.split("/", 1)[0]));
	const [name] = names;
	return names.size === 1 && files.every((file) => file.includes("/")) ? name : undefined;
}
