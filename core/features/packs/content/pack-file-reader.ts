import { createHash } from "node:crypto";
import { constants, open, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { stringify } from "yaml";
import { type PackEntity, type Storage, SvcError } from "../../../contract/index.ts";
import { fromTimestamp } from "../../../kernel/basics/clock.ts";
import type { PackFile } from "../pack-views-exports.ts";
import { listPackFiles } from "../reading/list-pack-files.ts";
import { ContentBytes } from "./content-chunks.ts";
import type { PackContents } from "./pack-contents.ts";

/** Maximum bytes of a file that is returned. */
const maxFileSize = 500_000;
const maxPathLength = 1_000;

/** Files of a pack, from the storage, a directory or memory. */
export interface PackFileReader {
	/** Yields paths and bytes of all files that are not too large. */
	each(): AsyncIterable<{ readonly path: string; readonly content: Uint8Array }>;
	/** Returns undefined if the file does not exist. Throws `SVC_INVALID` if it is too large. */
	read(path: string): Promise<PackFile | undefined>;
}

export function storedFiles(storage: Storage, contents: PackContents, content: string): PackFileReader {
	async function* all() {
		const { files, created_at } = await contents.get(content);
		let start = 0;
		for (const file of files) {
			yield { ...file, start, modified: fromTimestamp(created_at) / 1_000 };
			start += file.size;
		}
	}
	return {
		async *each() {
			const bytes = new ContentBytes(storage, content);
			for await (const { path, size, start } of all()) {
				if (size > maxFileSize) continue;
				const pieces: Buffer[] = [];
				for await (const piece of bytes.read(start, start + size)) pieces.push(piece);
				yield { path, content: Buffer.concat(pieces) };
			}
		},
		async read(path) {
			for await (const file of all()) {
				if (file.path !== path) continue;
				assertSize(path, file.size);
				const { sha256: tag, modified, start, size } = file;
				return { path, content: await contents.readBytes(content, start, size), tag, modified };
			}
			return undefined;
		},
	};
}

/** Returns the files in a directory of this node. Files of git, and files outside of the directory, are treated as missing. */
export function directoryFiles(directory: string): PackFileReader {
	const read = async (path: string): Promise<PackFile | undefined> => (isPlain(path) ? readInside(directory, path) : undefined);
	return {
		async *each() {
			for (const path of await listPackFiles(directory)) {
				// Skip files that are too large.
				const file = await read(path).catch(() => undefined);
				if (file !== undefined) yield file;
			}
		},
		read,
	};
}

/** Modification time of the generated files of built-in packs. */
const startedAt = Date.now();

/** Returns the generated manifest of a built-in pack, which has no directory. */
export function builtInFiles({ ref, name, description, version, author, metadata }: PackEntity): PackFileReader {
	const path = "pack.yaml";
	const content = Buffer.from(stringify({ ref, name, description, version, author, ...metadata }));
	const file: PackFile = { path, content, tag: createHash("sha256").update(content).digest("hex"), modified: startedAt };
	return {
		async *each() {
			yield file;
		},
		read: async (asked) => (asked === path ? file : undefined),
	};
}

/** Returns true if a path has no `..`, `.` or empty part, and no `.git` part. Git may store the password of a remote address there. */
function isPlain(path: string): boolean {
	return path.length <= maxPathLength && !path.includes("\0") && path.split("/").every((part) => !["", ".", "..", ".git"].includes(part));
}

async function readInside(directory: string, path: string): Promise<PackFile | undefined> {
	const place = join(directory, path);
	// O_NONBLOCK keeps `open` from blocking on a pipe without a writer.
	const handle = await open(place, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
	if (handle === undefined) return undefined;
	try {
		const opened = await handle.stat();
		// The path may have been replaced after `open`, so compare the opened file with the file inside the directory.
		const real = await realpath(place).catch(() => "");
		const found = await stat(real).catch(() => undefined);
		const root = (await realpath(directory)) + sep;
		const isInside = real.startsWith(root) && isPlain(real.slice(root.length));
		if (!isInside || found?.ino !== opened.ino || found.dev !== opened.dev || !opened.isFile()) return undefined;
		assertSize(path, opened.size);
		return { path, content: await handle.readFile(), tag: String(opened.mtimeMs), modified: opened.mtimeMs };
	} finally {
		await handle.close();
	}
}

function assertSize(path: string, size: number): void {
	if (size > maxFileSize) throw new SvcError("SVC_INVALID", `file "${path}" can be shown only up to ${maxFileSize} bytes, has ${size}`);
}
