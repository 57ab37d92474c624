import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Resource } from "../harness/benchmark.ts";

export interface PlantedBuild extends Resource {
	/** Directory of the build. */
	readonly directory: string;
}

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Begin of the method that every submission of an execution calls once. */
const anchor = "  async submit(input, principal) {\n";

/** Copies a build of this project, and makes it wait busily for so many milliseconds in each submission of an execution. */
export async function plantDelay(build: string, milliseconds: number): Promise<PlantedBuild> {
	const project = await mkdtemp(join(tmpdir(), "svc-planted-"));
	const directory = join(project, "dist");
	await cp(build, directory, { recursive: true });
	await cp(join(root, "package.json"), join(project, "package.json"));
	await symlink(join(root, "node_modules"), join(project, "node_modules"));
	await plant(join(directory, "chunks"), milliseconds);
	return { directory, stop: () => rm(project, { recursive: true, force: true }) };
}

async function plant(chunks: string, milliseconds: number): Promise<void> {
	const files = (await readdir(chunks)).map((name) => join(chunks, name));
	const texts = await Promise.all(files.map(async (file) => ({ file, text: await readFile(file, "utf8") })));
	const [found, ...others] = texts.filter(({ text }) => text.includes(anchor));
	if (found === undefined || others.length > 0)
		throw new Error(`the build must have one chunk with "${anchor.trim()}" to plant a delay in`);
	const delay = `    for (const until = performance.now() + ${milliseconds}; performance.now() < until; );\n`;
	await writeFile(found.file, found.text.replace(anchor, `${anchor}${delay}`));
}
