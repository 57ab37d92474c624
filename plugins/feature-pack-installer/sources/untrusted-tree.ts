import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { SvcError } from "../../../core/contract/index.ts";
import { maxLinks, type PackLimits } from "./pack-limits.ts";
import { quote, refused, toFolded, toSegments } from "./pack-path.ts";

export interface TreeOptions {
	/** Directory of the tree. It is created, and must not exist. */
	readonly directory: string;
	readonly limits: PackLimits;
	readonly signal: AbortSignal;
	/** Receives a line of output for users. */
	readonly emit: (line: string) => void;
}

interface FileTraits {
	readonly isExecutable: boolean;
	/** Number of bytes, if it is known before the content is read. */
	readonly size?: number;
}

interface FileEntry {
	readonly kind: "file";
	readonly size: number;
	/** Hash of the content, preceded by `x` if the file is executable and `-` otherwise. */
	readonly mark: string;
}

type Entry = { readonly kind: "directory" } | FileEntry | { readonly kind: "link"; readonly target: string };

/**
 * Writes untrusted files as plain files and folders into a new directory. Their number and size are limited, and names that are easily
 * confused are refused. Links are replaced by copies of their targets, which must be among the files.
 */
export class UntrustedTree {
	readonly #options: TreeOptions;
	/** Entries by path; the root has the empty path. */
	readonly #entries = new Map<string, Entry>();
	readonly #folded = new Map<string, string>();
	#bytes = 0;
	#links = 0;

	private constructor(options: TreeOptions) {
		this.#options = options;
	}

	static async create(options: TreeOptions): Promise<UntrustedTree> {
		await mkdir(options.directory, { mode: 0o755 });
		const tree = new UntrustedTree(options);
		tree.#entries.set("", { kind: "directory" });
		return tree;
	}

	/** Number of bytes of all files. */
	get bytes(): number {
		return this.#bytes;
	}

	/** Paths of all files. */
	get files(): readonly string[] {
		return [...this.#entries].flatMap(([path, { kind }]) => (kind === "file" ? [path] : []));
	}

	/** Returns a SHA-256 digest of the files of a folder: their names, contents and executable bits. */
	digest(folder: string): string {
		const hash = createHash("sha256");
		const start = folder === "" ? "" : `${folder}/`;
		const lines = [...this.#entries].flatMap(([path, entry]) =>
			entry.kind === "file" && path.startsWith(start) ? [`${entry.mark} ${path.slice(start.length)}\n`] : [],
		);
		for (const line of lines.sort()) hash.update(line);
		return `sha256:${hash.digest("hex")}`;
	}

	async addDirectory(path: string): Promise<void> {
		await this.#makeDirectory(toSegments(path));
	}

	async addFile(path: string, { isExecutable, size = 0 }: FileTraits, content: AsyncIterable<Uint8Array>): Promise<void> {
		this.#assertFits(path, size);
		const name = await this.#take(path);
		const file = await open(join(this.#options.directory, name), "wx", isExecutable ? 0o755 : 0o644);
		const hash = createHash("sha256");
		let written = 0;
		try {
			for await (const chunk of content) {
				this.#options.signal.throwIfAborted();
				written += chunk.length;
				this.#assertFits(path, written);
				hash.update(chunk);
				await file.writeFile(chunk);
			}
		} finally {
			await file.close();
		}
		this.#bytes += written;
		this.#entries.set(name, { kind: "file", size: written, mark: `${isExecutable ? "x" : "-"} ${hash.digest("hex")}` });
	}

	/**
	 * Adds a link, which `finish` replaces by a copy of its target.
	 *
	 * @param from directory that the target is relative to: the folder of the link, or the root for hard links of archives
	 */
	async addLink(path: string, target: string, from: "folder" | "root" = "folder"): Promise<void> {
		this.#links += 1;
		if (this.#links > maxLinks) throw new SvcError("SVC_INVALID", `the pack has more than ${maxLinks} links`);
		const found = toTarget(path, target, from);
		const name = await this.#take(path);
		this.#entries.set(name, { kind: "link", target: found });
	}

	/**
	 * Replaces links by copies of their targets. Repeats this for links to links, and throws `SVC_INVALID` for links without a target or to
	 * themselves.
	 */
	async finish(): Promise<void> {
		const all = this.#linkNames();
		for (let waiting = all; waiting.length > 0; ) {
			for (const name of waiting) await this.#replace(name);
			const left = this.#linkNames();
			const [first] = left;
			if (first !== undefined && left.length === waiting.length) throw refused(first, "is a link to itself");
			waiting = left;
		}
		if (all.length === 0) return;
		const more = all.length > 10 ? ` and ${all.length - 10} more` : "";
		this.#options.emit(`links replaced by copies of their targets: ${all.slice(0, 10).map(quote).join(", ")}${more}`);
	}

	#linkNames(): readonly string[] {
		return [...this.#entries].flatMap(([path, { kind }]) => (kind === "link" ? [path] : []));
	}

	async #replace(name: string): Promise<void> {
		const link = this.#entries.get(name);
		if (link?.kind !== "link") return;
		const found = this.#entries.get(link.target);
		if (found === undefined) {
			if (this.#passesLink(link.target)) return;
			throw refused(name, `is a link to ${quote(link.target)}, which does not exist`);
		}
		if (found.kind === "file") await this.#copy(link.target, name, found);
		if (found.kind === "directory") await this.#copyDirectory(link.target, name);
	}

	/** Returns true if a part of the path is a link that has not been replaced yet. */
	#passesLink(path: string): boolean {
		const segments = path.split("/");
		return segments.some((_, index) => this.#entries.get(segments.slice(0, index).join("/"))?.kind === "link");
	}

	async #copyDirectory(from: string, to: string): Promise<void> {
		const inside = [...this.#entries].filter(([path]) => from === "" || path.startsWith(`${from}/`));
		// Wait until all links in the folder are replaced. A link to an enclosing folder contains itself and is refused at the end.
		if (inside.some(([, { kind }]) => kind === "link")) return;
		this.#entries.set(to, { kind: "directory" });
		await mkdir(join(this.#options.directory, to), { mode: 0o755 });
		for (const [path, entry] of inside) {
			const copy = `${to}/${path.slice(from.length + 1)}`;
			if (entry.kind === "directory") await this.#makeDirectory(toSegments(copy));
			else if (entry.kind === "file") await this.#copy(path, await this.#take(copy), entry);
		}
	}

	async #copy(from: string, to: string, entry: FileEntry): Promise<void> {
		this.#options.signal.throwIfAborted();
		this.#assertFits(to, entry.size);
		const { directory } = this.#options;
		await copyFile(join(directory, from), join(directory, to), constants.COPYFILE_EXCL);
		this.#bytes += entry.size;
		this.#entries.set(to, entry);
	}

	/** Reserves a new path and creates its parent folders. Returns the normalized path. */
	async #take(path: string): Promise<string> {
		const segments = toSegments(path);
		const name = segments.join("/");
		if (name === "") throw refused(path, "has no name");
		await this.#makeDirectory(segments.slice(0, -1));
		if (this.#entries.has(name)) throw refused(path, "occurs twice");
		this.#claim(name);
		return name;
	}

	async #makeDirectory(segments: readonly string[]): Promise<void> {
		for (let count = 1; count <= segments.length; count += 1) {
			const name = segments.slice(0, count).join("/");
			const known = this.#entries.get(name);
			if (known?.kind === "directory") continue;
			if (known !== undefined) throw refused(name, `is both a ${known.kind} and a directory`);
			this.#claim(name);
			await mkdir(join(this.#options.directory, name), { mode: 0o755 });
			this.#entries.set(name, { kind: "directory" });
		}
	}

	#claim(name: string): void {
		const { limits, signal } = this.#options;
		signal.throwIfAborted();
		if (this.#entries.size > limits.files)
			throw new SvcError("SVC_INVALID", `the pack has more than ${limits.files} files and directories (content.max_files)`);
		const folded = toFolded(name);
		const other = this.#folded.get(folded);
		if (other !== undefined && other !== name)
			throw refused(name, `is too similar to ${quote(other)}: names must differ in more than case and Unicode form`);
		this.#folded.set(folded, name);
	}

	#assertFits(path: string, size: number): void {
		const { fileSize, size: whole } = this.#options.limits;
		if (size > fileSize) throw refused(path, `has more than ${fileSize} bytes (content.max_file_size)`);
		if (this.#bytes + size > whole)
			throw new SvcError("SVC_INVALID", `the files of the pack have more than ${whole} bytes (content.max_pack_size)`);
	}
}

/**
 * Returns the target of a link as a path relative to the root. The link is not followed on disk. Throws `SVC_INVALID` if the target is
 * outside of the pack.
 */
function toTarget(path: string, target: string, from: "folder" | "root"): string {
	const refuse = () => refused(path, `is a link to ${quote(target)}, which is outside the pack`);
	if (target.startsWith("/")) throw refuse();
	const place = from === "root" ? [] : [...toSegments(path).slice(0, -1)];
	for (const segment of target.split("/")) {
		if (segment === "" || segment === ".") continue;
		if (segment !== "..") place.push(segment);
		else if (place.pop() === undefined) throw refuse();
	}
	return toSegments(place.join("/")).join("/");
}
