import { once } from "node:events";
import { createReadStream } from "node:fs";
import { PassThrough, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { ReadEntry } from "tar";
import { SvcError, toErrorMessage } from "../../../core/contract/index.ts";
import { isExcluded } from "./excluded-names.ts";
import type { PackLimits } from "./pack-limits.ts";
import { refused } from "./pack-path.ts";
import { isSystemError } from "./system-error.ts";
import type { UntrustedTree } from "./untrusted-tree.ts";

/** Mode bits that let a program run as another user or group. */
const setIdBits = 0o6000;
/** Maximum number of bytes of an archive in addition to its files: for each file, and in total. */
const frame = { perFile: 4_096, whole: 1_048_576 };

interface TarOptions {
	readonly limits: PackLimits;
	readonly signal: AbortSignal;
}

/**
 * Adds the files of a tar archive, which may be compressed with gzip, to a tree. Throws `SVC_INVALID` if it cannot be read or is not
 * allowed.
 */
export async function readTar(path: string, tree: UntrustedTree, { limits, signal }: TarOptions): Promise<void> {
	// Loaded on demand, so that a service without pack installations never loads it.
	const { Parser } = await import("tar");
	const parser = new Parser({ strict: true, maxMetaEntrySize: 65_536, brotli: false, zstd: false });
	const broken = new AbortController();
	let current: ReadEntry | undefined;
	let work = Promise.resolve();
	parser.on("entry", (entry: ReadEntry) => {
		current = entry;
		work = work.then(() => addEntry(tree, entry)).catch((error) => broken.abort(error));
	});
	parser.on("ignoredEntry", ({ path, type }: ReadEntry) => broken.abort(refused(path, `is a ${type}, which is not allowed in packs`)));
	// Data after the end marker, usually zeros, is skipped: the parser would take minutes for it.
	let isOver = false;
	parser.on("eof", () => {
		isOver = true;
	});
	parser.on("error", (error) => broken.abort(error));
	const either = AbortSignal.any([signal, broken.signal]);
	const parse = async (chunks: AsyncIterable<Buffer>) => {
		for await (const chunk of chunks) if (!isOver && !parser.write(chunk)) await once(parser, "drain", { signal: either });
		const end = once(parser, "end", { signal: either });
		parser.end();
		await end;
		await work;
	};
	try {
		const plain = (await isGzip(path)) ? createGunzip() : new PassThrough();
		await pipeline(createReadStream(path), plain, limitBytes(limits), parse, { signal: either });
		either.throwIfAborted();
	} catch (error) {
		const reason = either.aborted ? either.reason : error;
		// End the current entry. Otherwise, the file that is written from it would wait for the rest of its content forever.
		current?.on("error", () => {}).destroy(reason);
		await work;
		if (signal.aborted || reason instanceof SvcError || isSystemError(reason)) throw reason;
		throw new SvcError("SVC_INVALID", `the archive is not a readable tar archive: ${toErrorMessage(reason)}`, { cause: reason });
	}
}

async function addEntry(tree: UntrustedTree, entry: ReadEntry): Promise<void> {
	const { path, type, mode = 0, linkpath = "", size } = entry;
	if (isExcluded(path)) {
		entry.resume();
		return;
	}
	switch (type) {
		case "File":
		case "OldFile":
		case "ContiguousFile":
			if ((mode & setIdBits) !== 0) throw refused(path, "must not have the set-user-ID or set-group-ID bit");
			return tree.addFile(path, { isExecutable: (mode & 0o100) !== 0, size }, entry);
		case "Directory":
			await tree.addDirectory(path);
			break;
		case "SymbolicLink":
			await tree.addLink(path, linkpath);
			break;
		case "Link":
			await tree.addLink(path, linkpath, "root");
			break;
		default:
			throw refused(path, `is a ${type}, which is not allowed in packs`);
	}
	entry.resume();
}

/** Throws `SVC_INVALID` if the archive unpacks to far more than the size limit, or is compressed twice. */
function limitBytes({ size, files }: PackLimits): Transform {
	const most = 2 * size + frame.perFile * files + frame.whole;
	let count = 0;
	return new Transform({
		transform(chunk: Buffer, _encoding, done) {
			const isCompressed = count === 0 && hasGzipHead(chunk);
			count += chunk.length;
			if (isCompressed) done(new SvcError("SVC_INVALID", "the archive is compressed twice"));
			else if (count > most) done(new SvcError("SVC_INVALID", `the uncompressed archive has more than ${most} bytes`));
			else done(null, chunk);
		},
	});
}

async function isGzip(path: string): Promise<boolean> {
	for await (const chunk of createReadStream(path, { end: 1 })) return hasGzipHead(chunk as Buffer);
	return false;
}

function hasGzipHead(bytes: Buffer): boolean {
	return bytes[0] === 0x1f && bytes[1] === 0x8b;
}
