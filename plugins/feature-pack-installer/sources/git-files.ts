import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { SvcError } from "../../../core/contract/index.ts";
import { endGroup, startGit } from "./git-process.ts";
import type { GitRepository } from "./git-repository.ts";
import type { PackLimits } from "./pack-limits.ts";
import { quote, refused } from "./pack-path.ts";
import type { UntrustedTree } from "./untrusted-tree.ts";

interface TreeFile {
	readonly path: string;
	readonly mode: string;
	readonly object: string;
	readonly size: number;
}

const linePattern = /^(\d{6}) (\w+) ([0-9a-f]+) +(\d+|-)\t([^]+)$/;
const modes = { link: "120000", executable: "100755", repository: "160000" };
/** Beginning of a git LFS pointer file. The content of such a file is stored outside of the repository. */
const pointerHead = "version https://git-lfs.github.com/spec/";
const maxPointerLength = 1_024;
const maxTargetLength = 4_096;

/** Repository that is nested in a commit. */
export interface Submodule {
	/** Path relative to the folder that was read. */
	readonly path: string;
	/** Commit of the submodule that the parent commit refers to. */
	readonly commit: string;
}

export interface CommitReading {
	readonly commit: string;
	readonly folder: string | undefined;
	/** Folder of the tree for the files; the empty string is its root. */
	readonly into: string;
	readonly emit: (line: string) => void;
	readonly limits: PackLimits;
}

/**
 * Adds the files of a commit to a tree, byte for byte as stored: no attribute of the repository changes them. Returns the submodules, which
 * are not read.
 */
export async function readCommit(
	repository: GitRepository,
	tree: UntrustedTree,
	{ commit, folder, into, emit, limits }: CommitReading,
): Promise<readonly Submodule[]> {
	const { files, submodules } = parseTree(await repository.listTree(commit, folder), into);
	assertFit(files, limits);
	const { args, options } = repository.reading;
	const child = startGit([...args, "cat-file", "--batch"], { ...options, limits: { output: 0, file: 512 } });
	child.stderr?.resume();
	try {
		const reader = new ByteReader(child.stdout as Readable);
		for (const file of files) await addFile(file, { child, reader, tree, emit });
	} finally {
		endGroup(child);
	}
	return submodules;
}

/** Throws `SVC_INVALID` if the files exceed the limits. Must be called before any content is read. */
function assertFit(files: readonly TreeFile[], limits: PackLimits): void {
	if (files.length > limits.files)
		throw new SvcError("SVC_INVALID", `the pack has more than ${limits.files} files and directories (content.max_files)`);
	if (files.reduce((sum, { size }) => sum + size, 0) > limits.size) {
		throw new SvcError("SVC_INVALID", `the files of the pack have more than ${limits.size} bytes (content.max_pack_size)`);
	}
}

function parseTree(bytes: Buffer, into: string): { readonly files: readonly TreeFile[]; readonly submodules: readonly Submodule[] } {
	const files: TreeFile[] = [];
	const submodules: Submodule[] = [];
	const start = into === "" ? "" : `${into}/`;
	for (const line of bytes.toString("utf8").split("\0")) {
		if (line === "") continue;
		const match = linePattern.exec(line);
		if (match === null) throw new SvcError("SVC_INVALID", "the list of the repository's files cannot be read");
		const [, mode = "", , object = "", size = "", path = ""] = match;
		if (mode === modes.repository) submodules.push({ path, commit: object });
		else files.push({ path: start + path, mode, object, size: Number(size) });
	}
	return { files, submodules };
}

interface Reading {
	readonly child: ChildProcess;
	readonly reader: ByteReader;
	readonly tree: UntrustedTree;
	readonly emit: (line: string) => void;
}

async function addFile({ path, mode, object, size }: TreeFile, { child, reader, tree, emit }: Reading): Promise<void> {
	child.stdin?.write(`${object}\n`);
	const head = await reader.line();
	if (head !== `${object} blob ${size}`) throw refused(path, "is not in the repository");
	if (mode === modes.link) {
		if (size > maxTargetLength) throw refused(path, "is a link whose target is too long");
		await tree.addLink(path, (await reader.bytes(size)).toString("utf8"));
	} else if (size <= maxPointerLength) {
		const content = await reader.bytes(size);
		if (content.toString("utf8", 0, pointerHead.length) === pointerHead)
			emit(`${quote(path)} is stored in git LFS, which is not supported: only its pointer is installed`);
		await tree.addFile(path, { isExecutable: mode === modes.executable, size }, toChunks(content));
	} else await tree.addFile(path, { isExecutable: mode === modes.executable, size }, reader.chunks(size));
	await reader.bytes(1);
}

async function* toChunks(content: Buffer): AsyncGenerator<Buffer> {
	yield content;
}

const maxLineLength = 4_096;

/** Reads lines and byte ranges from a stream. */
class ByteReader {
	readonly #source: AsyncIterator<Buffer>;
	#rest: Buffer = Buffer.alloc(0);

	constructor(source: Readable) {
		this.#source = source[Symbol.asyncIterator]();
	}

	/** Reads up to the next line break, which is not part of the result. */
	async line(): Promise<string> {
		for (let end = this.#rest.indexOf(10); ; end = this.#rest.indexOf(10)) {
			if (end !== -1) return this.#take(end + 1).toString("utf8", 0, end);
			if (this.#rest.length > maxLineLength) throw new SvcError("SVC_INVALID", "git printed unexpected output");
			this.#rest = Buffer.concat([this.#rest, await this.#next()]);
		}
	}

	async bytes(count: number): Promise<Buffer> {
		const parts: Buffer[] = [];
		for await (const part of this.chunks(count)) parts.push(part);
		return Buffer.concat(parts);
	}

	/** Yields the given number of bytes as they arrive. */
	async *chunks(count: number): AsyncGenerator<Buffer> {
		for (let left = count; left > 0; ) {
			if (this.#rest.length === 0) this.#rest = await this.#next();
			const part = this.#take(Math.min(left, this.#rest.length));
			left -= part.length;
			yield part;
		}
	}

	#take(count: number): Buffer {
		const taken = this.#rest.subarray(0, count);
		this.#rest = this.#rest.subarray(count);
		return taken;
	}

	async #next(): Promise<Buffer> {
		const { done, value } = await this.#source.next();
		if (done) throw new SvcError("SVC_UNAVAILABLE", "git ended unexpectedly");
		return value;
	}
}
