import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { pathToFileURL } from "node:url";
import { findStrayNpx } from "./check-npx.ts";
import { checkReference, findUnlisted } from "./check-reference.ts";
import { toConfigurationReference } from "./configuration-reference.ts";
import { findFiles } from "./find-files.ts";
import { toApiReference } from "./reference/api-reference.ts";
import { toCommandReference } from "./reference/command-reference.ts";
import { toHttpReference } from "./reference/http-reference.ts";
import { toOptionsInput } from "./reference/options-input.ts";
import { toRequestReference } from "./reference/request-reference.ts";
import { toRightsReference } from "./reference/rights-reference.ts";
import { run } from "./run.ts";

/** Pages that are made from the code, so that the two cannot differ. */
const madePages: readonly (readonly [page: string, toText: () => string | Promise<string>])[] = [
	["docs/reference/configuration.md", toConfigurationReference],
	["core/contract/options-input.ts", toOptionsInput],
	["docs/reference/api.md", () => toApiReference().text],
	["docs/reference/cli-options.md", toCommandReference],
	["docs/reference/http-api.md", () => toHttpReference()],
	["docs/reference/http-requests.md", () => toRequestReference()],
	["docs/reference/permissions.md", () => toRightsReference()],
];
/** Inside the project, so that `svc` and the packages resolve; ignored by git. */
const workDirectory = "build/docs-check";

/** Problems found in the documentation, each a line or more of text. */
export async function checkDocs(): Promise<string[]> {
	// Pages of templates are pages of what is made of them: they have names that do not exist yet.
	const isPage = (file: string) => file.endsWith(".md") && !file.startsWith("examples/templates/");
	const pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", ...findFiles(["docs", "examples"], isPage)];
	return [
		...(await checkMadePages()),
		...toApiReference().problems,
		...(await checkReference()),
		...findUnlisted(pages, readFileSync("docs/README.md", "utf8")),
		...pages.flatMap(checkLinks),
		...pages.flatMap((page) => findStrayNpx(page, readFileSync(page, "utf8"))),
		...(await checkBlocks(pages)),
	];
}

async function checkMadePages(): Promise<string[]> {
	const problems: string[] = [];
	for (const [page, toText] of madePages) {
		const problem = findStale(page, existsSync(page) ? readFileSync(page, "utf8") : "", await toText());
		if (problem !== undefined) problems.push(problem);
	}
	return problems;
}

/** What is wrong with a page that is made from the code: the first line that should be there, or should not. */
export function findStale(page: string, written: string, made: string): string | undefined {
	if (written === made) return undefined;
	const [have, want] = [written.split("\n"), made.split("\n")];
	const missing = want.find((line) => !have.includes(line));
	const extra = have.find((line) => !want.includes(line));
	const example =
		missing !== undefined ? `it lacks "${missing}"` : `it has "${extra ?? "lines in another order"}", which the code does not`;
	return `${page} is out of date: ${example}; run npm run docs:update`;
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
	if (process.argv.includes("--update")) for (const [page, toText] of madePages) writeFileSync(page, await toText());
	const problems = await checkDocs();
	for (const problem of problems) process.stderr.write(`${problem}\n`);
	process.exitCode = problems.length === 0 ? 0 : 1;
}
