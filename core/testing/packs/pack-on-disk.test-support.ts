import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A manifest without faults. */
export const manifest = "ref: yard\nname: yard\ndescription: Counts sheep.\nversion: 1.0.0\nauthor: Ann\n";

export interface PackOnDisk {
	/** Of the pack `yard`. */
	readonly directory: string;
	/** Write a file of the pack. */
	write(path: string, text: string): Promise<void>;
}

/** With the files of a pack in a directory that goes afterwards. */
export async function withPackOnDisk(files: Readonly<Record<string, string>>, use: (pack: PackOnDisk) => Promise<void>): Promise<void> {
	const home = await realpath(await mkdtemp(join(tmpdir(), "svc-pack-")));
	const directory = join(home, "yard");
	const write = async (path: string, text: string) => {
		await mkdir(dirname(join(directory, path)), { recursive: true });
		await writeFile(join(directory, path), text);
	};
	try {
		for (const [path, text] of Object.entries({ "pack.yaml": manifest, "README.md": "# yard\n", ...files })) await write(path, text);
		await use({ directory, write });
	} finally {
		await rm(home, { recursive: true, force: true });
	}
}
