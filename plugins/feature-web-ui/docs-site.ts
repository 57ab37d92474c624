import { createHash } from "node:crypto";
import { constants, existsSync } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { extname, isAbsolute, join } from "node:path";

/** Media types of the files of a site, by file extension. */
const types: Readonly<Record<string, string>> = {
	".html": "text/html; charset=UTF-8",
	".js": "text/javascript; charset=UTF-8",
	".css": "text/css; charset=UTF-8",
	".json": "application/json",
	".txt": "text/plain; charset=UTF-8",
	".xml": "application/xml",
	".svg": "image/svg+xml",
	".png": "image/png",
	".jpg": "image/jpeg",
	".webp": "image/webp",
	".ico": "image/x-icon",
	".woff2": "font/woff2",
};
const otherType = "application/octet-stream";

/** Media types that a site can be answered with, without their charset. */
export const siteTypes: readonly string[] = [...Object.values(types), otherType].map((type) => type.split(";", 1)[0] ?? type);

/** Maximum bytes of a file. A request reads the whole file into memory. */
const maxFileBytes = 32 * 1024 * 1024;
/**
 * Paths of files that may be read: names of letters, digits and a few marks, none of which begins with a dot. So a path cannot leave the
 * directory or name a hidden file.
 */
const safePath = /^(?:[\w@+~-][\w@+~.-]*\/)*[\w@+~-][\w@+~.-]*$/;
/** Codes of errors that mean that a path names no readable file. `ELOOP`: the file is a symbolic link. */
const absentCodes = new Set(["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG"]);

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

/**
 * Returns a file of a site, or undefined if it does not exist. A path that ends with a slash names the `index.html` of a directory. Reads
 * neither hidden files nor anything behind a symbolic link, so that a request cannot read files outside of the directory. The directory
 * itself may be a link, so that an administrator can replace the whole site at once while the service runs.
 *
 * @param path path relative to the directory, without escapes such as `%2f`
 */
export async function readSiteFile(directory: string, path: string): Promise<SiteFile | undefined> {
	const name = path === "" || path.endsWith("/") ? `${path}index.html` : path;
	if (!safePath.test(name)) return undefined;
	try {
		const file = join(await realpath(directory), name);
		// The real path of a file differs from its path if one of its directories is a link.
		if ((await realpath(file)) !== file) return undefined;
		const body = await readRegularFile(file);
		return body && { type: types[extname(name)] ?? otherType, body, etag: toEtag(body), isImmutable: hasContentHash(name) };
	} catch (error) {
		if (absentCodes.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
		throw error;
	}
}

/** Returns the content of a file, or undefined if it is not a regular file, or too large. Opening a pipe does not wait for its writer. */
async function readRegularFile(file: string): Promise<Uint8Array | undefined> {
	const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	try {
		const status = await handle.stat();
		return status.isFile() && status.size <= maxFileBytes ? await handle.readFile() : undefined;
	} finally {
		await handle.close();
	}
}

function toEtag(body: Uint8Array): string {
	return `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
}

/** Returns true for a file in `assets` whose name contains a hash, such as `assets/app.DWMmzVLo.js`. */
function hasContentHash(name: string): boolean {
	return /^assets\/.*\.[\w-]{8}(?:\.lean)?\.\w+$/.test(name);
}
