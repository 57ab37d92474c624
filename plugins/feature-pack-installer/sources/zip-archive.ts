import type { Readable } from "node:stream";
import { promisify } from "node:util";
import type { Entry, ZipFile } from "yauzl";
import { SvcError, toErrorMessage } from "../../../core/contract/index.ts";
import { isExcluded } from "./excluded-names.ts";
import type { PackLimits } from "./pack-limits.ts";
import { refused } from "./pack-path.ts";
import { isSystemError } from "./system-error.ts";
import type { UntrustedTree } from "./untrusted-tree.ts";

const unix = 3;
const kinds = { mask: 0o170000, file: 0o100000, directory: 0o040000, link: 0o120000 };
const setIdBits = 0o6000;
/** Maximum number of bytes of a link target. */
const maxTargetLength = 4_096;

/** Adds the files of a zip archive to a tree. Throws `SVC_INVALID` if the archive cannot be read or is not allowed. */
export async function readZip(
	path: string,
	tree: UntrustedTree,
	{ signal, limits }: { readonly limits: PackLimits; readonly signal: AbortSignal },
): Promise<void> {
	const yauzl = await import("yauzl");
	const open = promisify<string, object, ZipFile>(yauzl.open);
	try {
		const archive = await open(path, { lazyEntries: true, autoClose: false, strictFileNames: true });
		try {
			if (archive.entryCount > limits.files)
				throw new SvcError("SVC_INVALID", `the archive has more than ${limits.files} files and directories (content.max_files)`);
			for (let entry = await nextEntry(archive); entry !== undefined; entry = await nextEntry(archive)) {
				signal.throwIfAborted();
				await addEntry(tree, archive, entry);
			}
		} finally {
			archive.close();
		}
	} catch (error) {
		if (error instanceof SvcError || signal.aborted || isSystemError(error)) throw error;
		throw new SvcError("SVC_INVALID", `the archive is not a readable zip archive: ${toErrorMessage(error)}`, { cause: error });
	}
}

/** Returns the next entry, or undefined after the last one. */
function nextEntry(archive: ZipFile): Promise<Entry | undefined> {
	return new Promise((resolve, reject) => {
		const settle = (end: () => void) => {
			for (const name of ["entry", "end", "error"]) archive.removeAllListeners(name);
			end();
		};
		archive.once("entry", (entry: Entry) => settle(() => resolve(entry)));
		archive.once("end", () => settle(() => resolve(undefined)));
		archive.once("error", (error: Error) => settle(() => reject(error)));
		archive.readEntry();
	});
}

async function addEntry(tree: UntrustedTree, archive: ZipFile, entry: Entry): Promise<void> {
	const { fileName: path, uncompressedSize: size } = entry;
	if (isExcluded(path)) return;
	if (entry.isEncrypted()) throw refused(path, "is encrypted");
	const mode = entry.versionMadeBy >> 8 === unix ? entry.externalFileAttributes >>> 16 : 0;
	const kind = mode & kinds.mask;
	if (path.endsWith("/")) return tree.addDirectory(path);
	if (kind === kinds.directory || (kind !== 0 && kind !== kinds.file && kind !== kinds.link))
		throw refused(path, "is not a regular file, directory or link");
	if (kind === kinds.link) return tree.addLink(path, await readTarget(archive, entry));
	if ((mode & setIdBits) !== 0) throw refused(path, "must not have the set-user-ID or set-group-ID bit");
	await tree.addFile(path, { isExecutable: (mode & 0o100) !== 0, size }, await openContent(archive, entry));
}

async function readTarget(archive: ZipFile, entry: Entry): Promise<string> {
	if (entry.uncompressedSize > maxTargetLength) throw refused(entry.fileName, "is a link whose target is too long");
	const chunks: Buffer[] = [];
	for await (const chunk of await openContent(archive, entry)) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString("utf8");
}

function openContent(archive: ZipFile, entry: Entry): Promise<Readable> {
	return new Promise((resolve, reject) =>
		archive.openReadStream(entry, (error, stream) => (error === null ? resolve(stream) : reject(error))),
	);
}
