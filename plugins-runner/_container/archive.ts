/** An entry of an archive. Paths are relative; directories precede their contents. */
export interface ArchiveEntry {
	readonly path: string;
	readonly mode: number;
	/** Content of a file; undefined for a directory or a link. */
	readonly content?: Buffer;
	/** Target of a symbolic link. */
	readonly link?: string;
}

const block = 512;

/** Returns a tar archive for engines to unpack into a container. All entries are owned by the container's root. */
export function toArchive(entries: readonly ArchiveEntry[]): Buffer {
	return Buffer.concat([...entries.flatMap(toBlocks), Buffer.alloc(2 * block)]);
}

/** Returns the content of the first file in a tar archive; undefined if there is no file or it is truncated. */
export function readFirstFile(archive: Buffer): Buffer | undefined {
	for (let at = 0; at + block <= archive.length; ) {
		const size = Number.parseInt(archive.toString("latin1", at + 124, at + 136), 8);
		if (!(size >= 0)) return undefined;
		const begin = at + block;
		// Skip entries of other types, such as extended headers.
		if (["0", "\0"].includes(archive.toString("latin1", at + 156, at + 157)))
			return begin + size <= archive.length ? archive.subarray(begin, begin + size) : undefined;
		at = begin + Math.ceil(size / block) * block;
	}
	return undefined;
}

function toBlocks({ path, mode, content, link }: ArchiveEntry): Buffer[] {
	const name = content === undefined && link === undefined ? `${path}/` : path;
	const type = link !== undefined ? "2" : content === undefined ? "5" : "0";
	const length = content?.length ?? 0;
	// Names that are too long or not ASCII are in a preceding extended header.
	const long = [...toRecord("path", name), ...toRecord("linkpath", link ?? "")];
	const extended = long.length === 0 ? [] : toFile({ name: "long", type: "x", mode: 0o644, content: Buffer.concat(long) });
	return [...extended, ...toFile({ name, type, mode, content: content ?? Buffer.alloc(0), link: link ?? "" }, length)];
}

interface Header {
	readonly name: string;
	readonly type: string;
	readonly mode: number;
	readonly content: Buffer;
	readonly link?: string;
}

function toFile({ name, type, mode, content, link = "" }: Header, length = content.length): Buffer[] {
	const header = Buffer.alloc(block);
	header.write(Buffer.from(name).subarray(0, 99).toString("latin1"), 0, 100, "latin1");
	header.write(toOctal(mode & 0o7777, 7), 100, "latin1");
	header.write(toOctal(0, 7), 108, "latin1");
	header.write(toOctal(0, 7), 116, "latin1");
	header.write(toOctal(length, 11), 124, "latin1");
	header.write(toOctal(0, 11), 136, "latin1");
	header.write("        ", 148, "latin1");
	header.write(type, 156, "latin1");
	header.write(Buffer.from(link).subarray(0, 99).toString("latin1"), 157, 100, "latin1");
	header.write("ustar\x0000", 257, "latin1");
	const sum = header.reduce((total, byte) => total + byte, 0);
	header.write(`${toOctal(sum, 6)}\0 `, 148, "latin1");
	return [header, content, Buffer.alloc((block - (content.length % block)) % block)];
}

const toOctal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");

/**
 * Returns a record `<length> <key>=<value>\n` of an extended header; the length includes its own digits. Returns none for a value that fits
 * into the header.
 */
function toRecord(key: string, value: string): Buffer[] {
	const bytes = Buffer.from(value);
	if (bytes.length < 100 && bytes.every((byte) => byte < 128)) return [];
	const rest = bytes.length + key.length + 3;
	let length = rest + String(rest).length;
	if (String(length).length !== String(rest).length) length = rest + String(length).length;
	return [Buffer.from(`${length} ${key}=${value}\n`)];
}
