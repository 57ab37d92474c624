import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join, normalize, relative } from "node:path";
import { findFiles } from "../find-files.ts";
import { toApiPage } from "./api-page.ts";

/** Pages outside of `docs` that every site contains. */
const projectPages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];
const imageTypes = new Set([".png", ".svg"]);

/** Path of the page of the API description, without its extension. No Markdown file links it, because it exists only in the site. */
export const apiPage = "reference/openapi";

/** Returns the Markdown files that the site contains, even if no page links them. */
export function findPages(): string[] {
	const isExample = (file: string) => file.endsWith("/README.md") && !file.startsWith("examples/templates/");
	return [...projectPages, ...findFiles(["docs"], (file) => file.endsWith(".md")), ...findFiles(["examples"], isExample)];
}

/**
 * Writes the source of the site into `directory`: copies of the Markdown files with rewritten links, a page for each other file or folder
 * that they link, and the pictures. Throws an `Error` that names all links whose target does not exist.
 */
export function stagePages(directory: string): void {
	rmSync(directory, { recursive: true, force: true });
	const queue = findPages();
	const staged = new Set<string>(queue);
	const problems: string[] = [];
	for (const file of queue) {
		const { text, targets, missing } = rewriteLinks(file, toMarkdown(file));
		problems.push(...missing.map((target) => `${file}: link "${target}" has no target`));
		write(directory, toSitePage(file), text);
		for (const target of targets) {
			if (staged.has(target)) continue;
			staged.add(target);
			if (isImage(target)) cpSync(target, join(directory, toImagePath(target)));
			else queue.push(target);
		}
	}
	if (problems.length > 0) throw new Error(problems.join("\n"));
	write(directory, `${apiPage}.md`, toApiPage(JSON.parse(readFileSync("dist/openapi.json", "utf8"))));
}

function write(directory: string, page: string, text: string): void {
	const path = join(directory, page);
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
}

/**
 * Returns the path of the page that shows a file or folder of the project, relative to the root of the site. `docs` is that root. The
 * README of a folder is the index of the folder; a file that is not Markdown gets a page named after the file.
 */
export function toSitePage(file: string): string {
	if (file === "README.md") return "project.md";
	if (projectPages.includes(file)) return file.toLowerCase();
	const path = file.replace(/^docs\//, "");
	if (basename(path) === "README.md") return join(dirname(path), "index.md");
	if (path.endsWith(".md")) return path;
	return statSync(file).isDirectory() ? join(path, "index.md") : `${path}.md`;
}

/** Returns the text of a page: the file itself if it is Markdown, otherwise its content as a code block or the list of a folder. */
function toMarkdown(file: string): string {
	if (statSync(file).isDirectory()) return toFolderPage(file);
	const text = readFileSync(file, "utf8");
	if (file.endsWith(".md")) return text;
	const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/^`+/gm)].map(([ticks]) => ticks.length + 1)));
	return `# ${file}\n\n${fence}${extname(file).slice(1)}\n${text.replace(/\n?$/, "\n")}${fence}\n`;
}

/** Returns a page that lists the READMEs below a folder. */
function toFolderPage(folder: string): string {
	const pages = findPages().filter((page) => page.startsWith(`${folder}/`));
	const rows = pages.map((page) => `- [${relative(folder, dirname(page))}](${relative(dirname(folder), page)})`);
	return `# ${folder}\n\n${rows.join("\n")}\n`;
}

/** A page whose links lead to pages of the site. */
interface RewrittenPage {
	readonly text: string;
	/** Files and folders of the project that the page links. */
	readonly targets: readonly string[];
	/** Links whose target does not exist. */
	readonly missing: readonly string[];
}

/**
 * Rewrites the links of a page and removes its comments, except in code blocks and code. A folder with a README is replaced by the README.
 *
 * @param file path of the page in the project
 */
export function rewriteLinks(file: string, text: string): RewrittenPage {
	const targets: string[] = [];
	const missing: string[] = [];
	const toLink = (target: string) => {
		const [path = "", anchor] = target.split("#");
		const found = resolveTarget(file, path);
		if (found === undefined) {
			missing.push(target);
			return target;
		}
		targets.push(found);
		const page = isImage(found) ? toImagePath(found) : toSitePage(found);
		const link = relative(dirname(toSitePage(file)), page);
		return `${link.startsWith(".") ? "" : "./"}${link}${anchor === undefined ? "" : `#${anchor}`}`;
	};
	// The first two alternatives skip code blocks and code, in which a link is only text.
	const pattern = /^(`{3,}).*?^\1`*$|(`+)(?!`).*?(?<!`)\2(?!`)|<!--.*?-->\n?|\]\(([^)\s#][^)\s]*)\)/gms;
	const rewritten = text.replace(pattern, (whole, _fence, _code, target?: string) => {
		if (whole.startsWith("<!--")) return "";
		return target === undefined || /^[a-z]+:/.test(target) ? whole : `](${toLink(target)})`;
	});
	return { text: rewritten, targets, missing };
}

/** Returns the file or folder that a link names, or undefined if it does not exist in the project. */
function resolveTarget(file: string, path: string): string | undefined {
	const target = normalize(join(dirname(file), path)).replace(/\/$/, "");
	if (target.startsWith("..") || !existsSync(target)) return undefined;
	const readme = join(target, "README.md");
	return existsSync(readme) ? readme : target;
}

function isImage(file: string): boolean {
	return imageTypes.has(extname(file));
}

function toImagePath(file: string): string {
	return file.replace(/^docs\//, "");
}
