import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { pathToFileURL } from "node:url";
import { checkReference, findUnlisted } from "./check-reference.ts";
import { toConfigurationReference } from "./configuration-reference.ts";
import { findFiles } from "./find-files.ts";
import { run } from "./run.ts";

const reference = "docs/reference/configuration.md";
/** Inside the project, so that `svc` and the packages resolve; ignored by git. */
const workDirectory = "dist/docs-check";

/** Problems found in the documentation, each a line or more of text. */
export async function checkDocs(): Promise<string[]> {
	const pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", ...findFiles(["docs", "examples"], (file) => file.endsWith(".md"))];
	return [
		...checkConfigurationReference(),
		...(await checkReference()),
		...findUnlisted(pages, readFileSync("docs/README.md", "utf8")),
		...pages.flatMap(checkLinks),
		...(await checkBlocks(pages)),
	];
}

function checkConfigurationReference(): string[] {
	return readFileSync(reference, "utf8") === toConfigurationReference() ? [] : [`${reference} is out of date: run npm run docs:update`];
}

function checkLinks(page: string): string[] {
	const text = withoutBlocks(readFileSync(page, "utf8"));
	const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target).filter((target) => !/^[a-z]+:/.test(target));
	return targets.filter((target) => !resolves(page, target)).map((target) => `${page}: link "${target}" leads nowhere`);
}

function resolves(page: string, target: string): boolean {
	const [path = "", anchor] = target.split("#");
	const file = path === "" ? page : normalize(join(dirname(page), path));
	try {
		if (anchor === undefined || !file.endsWith(".md"))
			return findFiles([dirname(file)], (found) => found.startsWith(normalize(file))).length > 0;
		return headings(readFileSync(file, "utf8")).includes(anchor);
	} catch {
		return false;
	}
}

function headings(text: string): string[] {
	return [...withoutBlocks(text).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
		title
			.toLowerCase()
			.replace(/[^\p{L}\p{N} _-]/gu, "")
			.replaceAll(" ", "-"),
	);
}

function withoutBlocks(text: string): string {
	return text.replace(/^```.*?^```$/gms, "");
}

/** Type-check every TypeScript block by itself; errors name the page and the line in it. */
async function checkBlocks(pages: readonly string[]): Promise<string[]> {
	const blocks = pages.flatMap(blocksOf);
	rmSync(workDirectory, { recursive: true, force: true });
	mkdirSync(workDirectory, { recursive: true });
	for (const [index, { text }] of blocks.entries()) writeFileSync(join(workDirectory, `block-${index}.ts`), text);
	const options = {
		compilerOptions: { rootDir: "../..", noUnusedLocals: false },
		extends: "../../tsconfig.json",
		include: ["*.ts"],
		exclude: [],
	};
	writeFileSync(join(workDirectory, "tsconfig.json"), JSON.stringify(options));
	const { code, output } = await run("node_modules/.bin/tsc", ["-p", workDirectory, "--pretty", "false"]);
	if (code === 0) return [];
	return [
		output.trim().replace(/^\S*block-(\d+)\.ts\((\d+),/gm, (_match, index: string, line: string) => {
			const block = blocks[Number(index)];
			return `${block?.page}(${(block?.line ?? 0) + Number(line)},`;
		}),
	];
}

function blocksOf(page: string): { page: string; line: number; text: string }[] {
	const text = readFileSync(page, "utf8");
	return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map((match) => ({
		page,
		line: text.slice(0, match.index).split("\n").length,
		// An export makes it a module, so that blocks do not see each other's names.
		text: `${match[1] ?? ""}export {};\n`,
	}));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
	if (process.argv.includes("--update")) writeFileSync(reference, toConfigurationReference());
	const problems = await checkDocs();
	for (const problem of problems) process.stderr.write(`${problem}\n`);
	process.exitCode = problems.length === 0 ? 0 : 1;
}
