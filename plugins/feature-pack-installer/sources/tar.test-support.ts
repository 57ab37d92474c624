/** An entry as it stands in an archive, whatever a program that makes archives would say to it. */
export interface TarEntry {
	readonly path: string;
	/** Default: a file. */
	readonly type?: string;
	readonly mode?: number;
	readonly target?: string;
	readonly content?: string;
	/** Default: that of the content. */
	readonly size?: number;
}

/** A tar archive with these entries. */
export function toTar(entries: readonly TarEntry[]): Buffer {
	return Buffer.concat([...entries.flatMap(toBlocks), Buffer.alloc(1_024)]);
}

function toBlocks({ path, type = "0", mode = 0o644, target = "", content = "", size = content.length }: TarEntry): Buffer[] {
	const header = Buffer.alloc(512);
	const put = (text: string, place: number) => header.write(text, place, "utf8");
	const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, "0")}\0`;
	put(path, 0);
	put(octal(mode, 8), 100);
	put(octal(0, 8), 108);
	put(octal(0, 8), 116);
	put(octal(size, 12), 124);
	put(octal(0, 12), 136);
	put("        ", 148);
	put(type, 156);
	put(target, 157);
	put("ustar\u000000", 257);
	put(
		octal(
			header.reduce((sum, byte) => sum + byte, 0),
			7,
		),
		148,
	);
	const body = Buffer.alloc(Math.ceil(content.length / 512) * 512);
	body.write(content, "utf8");
	return [header, body];
}
