import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The pack with files, which actions may write. */
export const filePack = "fuzzed";

/** Where a service keeps its records, its packs and its temporary files, below a directory of its own. */
export async function makePlaces(
	directory: string,
): Promise<{ readonly data: string; readonly packs: string; readonly temporary: string }> {
	const [data, packs, temporary] = ["data", "packs", "tmp"].map((name) => join(directory, name)) as [string, string, string];
	for (const place of [data, packs, temporary]) await mkdir(place, { recursive: true, mode: 0o700 });
	await mkdir(join(packs, filePack, "actions"), { recursive: true });
	const manifest = { ref: filePack, name: filePack, description: "Files.", version: "1.0.0", author: "somebody" };
	await writeFile(join(packs, filePack, "pack.yaml"), JSON.stringify(manifest));
	return { data, packs, temporary };
}

/** Files that lie where no request may write. */
export async function findStrays(directory: string): Promise<readonly string[]> {
	const beside = (await readdir(directory)).filter((name) => !["data", "packs", "tmp"].includes(name));
	const packs = (await readdir(join(directory, "packs"))).filter((name) => name !== filePack);
	return [...beside, ...packs.map((name) => join("packs", name))];
}
