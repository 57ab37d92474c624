import { createHash } from "node:crypto";
import { constants, existsSync } from "node:fs";
import { open, realpath, stat } from "node:fs/promises";
import { extname, isAbsolute, join } from "node:path";

/** Media types of the files of a site, by file extension. */
const types: Readonly<Record<string, string>> = {
	".html": "text/html; charset=UTF-8",
	".js": "text/javascript; charset=UTF-8",
	".mjs": "text/javascript; charset=UTF-8",
	".wasm": "application/wasm",
	".css": "text/css; charset=UTF-8",
	".json": "application/json",
	".txt": "text/plain; charset=UTF-8",
	".xml": "application/xml",
	".svg": "image/svg+xml",
	".png": "image/png",
	".jpg": "image/jpeg",
	".jpeg": "image/jpeg",
	".gif": "image/gif",
	".webp": "image/webp",
	".ico": "image/x-icon",
	".woff": "font/woff",
	".woff2": "font/woff2",
};
const otherType = "application/octet-stream";

/** Media types that a site can be answered with, without their charset. */
export const siteTypes: readonly string[] = [...new Set([...Object.values(types), otherType].map((type) => type.split(";", 1)[0] ?? type))];

/**
 * Paths of files that may be read: names of letters, digits and a few marks, none of which begins with a dot. So a path cannot leave the
 * directory or name a hidden file.
 */
const safePath = /^(?:[\w@+~-][\w@+~.-]*\/)*[\w@+~-][\w@+~.-]*$/;
/** Codes of errors that mean that a path names no readable file. `ELOOP`: the file is a symbolic link. `ENXIO`: it is a socket. */
const absentCodes = new Set(["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM", "ENAMETOOLONG", "ENXIO", "ENODEV"]);

/** A file of a site. */
export interface SiteFile {
	readonly type: string;
	readonly body: Uint8Array;
	/** Value of the header `ETag`: a hash of the content. */
	readonly etag: string;
	/** True if the name contains a hash of the content, so that the content behind the name never changes. */
	readonly isImmutable: boolean;
}

/** Returns the problems of the option `webui.docs_dir`; none if it is empty or the directory contains a site. */
export function findSiteProblems(directory: string): readonly string[] {
	const hint = "build one with npm run docs -- --build";
	if (directory === "") return [];
	if (!isAbsolute(directory)) return [`webui.docs_dir: "${directory}" is not an absolute path`];
	if (!existsSync(directory)) return [`webui.docs_dir: the directory "${directory}" does not exist; ${hint}`];
	return existsSync(join(directory, "index.html")) ? [] : [`webui.docs_dir: "${directory}" contains no index.html; ${hint}`];
}

/** A copy of a file, and the version of the file that it is a copy of. */
interface Copy {
	/** Inode, size and time of change of the file. */
	readonly version: string;
	readonly size: number;
	readonly file: Promise<SiteFile>;
}

/**
 * Reads files of sites. Each file is read and hashed once, and all requests share the copy until the file changes. Otherwise clients, who need
 * no credential, could make the service hold a copy for each of their requests.
 */
export class SiteFiles {
	readonly #maxFileBytes: number;
	readonly #maxTotalBytes: number;
	/** Copies by path, the oldest first. */
	readonly #copies = new Map<string, Copy>();
	#totalBytes = 0;

	/** @param limits default: 32 MiB for a file, and 64 MiB for all copies */
	constructor({ maxFileBytes = 32 * 1024 * 1024, maxTotalBytes = 64 * 1024 * 1024 } = {}) {
		this.#maxFileBytes = maxFileBytes;
		this.#maxTotalBytes = maxTotalBytes;
	}

	/**
	 * Returns a file of a site, or undefined if it does not exist. A path that ends with a slash names the `index.html` of a directory. Reads
	 * neither hidden files nor anything behind a symbolic link, so that a request cannot read files outside of the directory. The directory
	 * itself may be a link, so that an administrator can replace the whole site at once while the service runs.
	 *
	 * @param path path relative to the directory, without escapes such as `%2f`
	 */
	async read(directory: string, path: string): Promise<SiteFile | undefined> {
		const name = path === "" || path.endsWith("/") ? `${path}index.html` : path;
		if (!safePath.test(name)) return undefined;
		try {
			return await this.#read(join(await realpath(directory), name), name);
		} catch (error) {
			if (absentCodes.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
			throw error;
		}
	}

	async #read(path: string, name: string): Promise<SiteFile | undefined> {
		// Opening a pipe does not wait for its writer.
		const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
		try {
			const { ino, dev, size, mtimeMs, ...opened } = await handle.stat();
			// Check the file that was opened: a directory of the path may have become a link in the meantime. The real path of a file differs from
			// its path if one of its directories is a link.
			const found = await stat(path);
			if ((await realpath(path)) !== path || found.ino !== ino || found.dev !== dev) return undefined;
			if ((opened.mode & constants.S_IFMT) !== constants.S_IFREG || size > this.#maxFileBytes) return undefined;
			const version = [dev, ino, size, mtimeMs].join();
			const known = this.#copies.get(path);
			if (known?.version === version) return await known.file;
			const file = handle.readFile().then((body) => toSiteFile(name, body));
			this.#add(path, { version, size, file });
			file.catch(() => this.#remove(path));
			return await file;
		} finally {
			await handle.close();
		}
	}

	#add(path: string, copy: Copy): void {
		this.#remove(path);
		this.#copies.set(path, copy);
		this.#totalBytes += copy.size;
		for (const oldest of this.#copies.keys()) {
			if (this.#totalBytes <= this.#maxTotalBytes) break;
			this.#remove(oldest);
		}
	}

	#remove(path: string): void {
		this.#totalBytes -= this.#copies.get(path)?.size ?? 0;
		this.#copies.delete(path);
	}
}

function toSiteFile(name: string, body: Uint8Array): SiteFile {
	return { type: types[extname(name).toLowerCase()] ?? otherType, body, etag: toEtag(body), isImmutable: hasContentHash(name) };
}

function toEtag(body: Uint8Array): string {
	return `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
}

/** Returns true for a file in `assets` whose name contains a hash, such as `assets/app.DWMmzVLo.js`. */
function hasContentHash(name: string): boolean {
	return /^assets\/.*\.[\w-]{8}(?:\.lean)?\.\w+$/.test(name);
}
