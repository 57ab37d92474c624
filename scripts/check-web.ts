import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { bundleWeb, type WebFile } from "./build/bundle-web.ts";
import { checkWebTexts } from "./check-web-texts.ts";
import { findFiles } from "./find-files.ts";

/** Kilobytes, as they come over a line that packs by gzip: what is loaded before anything is seen, and everything. */
const budgets = { first: 60, all: 200 };

/** What the page may import besides its own files: it speaks to the service by the client, and shares with it what the contract says. */
const mayImport = /^plugins\/feature-web-ui\/web\/|^plugins\/_shipped\/client\.ts$|^core\/contract\/index\.ts$/;
const packages = /^(preact|@preact\/signals|anser|uplot|@dagrejs\/dagre)($|\/)/;

/** Whether the web page is as small as it is to be, and stands on nothing but the client. */
export async function checkWeb(): Promise<string[]> {
	const { files } = await bundleWeb();
	const sources = findFiles(["plugins/feature-web-ui/web"], (file) => /(?<!\.test)\.tsx?$/.test(file));
	return [
		...sources.flatMap((file) => findForeignImports(file, readFileSync(file, "utf8"))),
		...checkWebTexts(),
		...findTooLarge(
			"what is loaded first",
			files.filter(({ isFirst }) => isFirst),
			budgets.first,
		),
		...findTooLarge("everything", files, budgets.all),
	];
}

/** What a source of the page imports and may not; imports of types count too. */
export function findForeignImports(file: string, text: string): string[] {
	return [...text.matchAll(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g)].flatMap(([, name = ""]) => {
		const isFine = name.startsWith(".") ? mayImport.test(join(dirname(file), name)) : packages.test(name);
		return isFine ? [] : [`${file} imports ${name}: the page stands on the client and the contract`];
	});
}

/** What is wrong with the size of these files. */
export function findTooLarge(what: string, files: readonly Pick<WebFile, "name" | "contents">[], budget: number): string[] {
	const sizes = files.map(({ name, contents }) => [name, gzipSync(contents, { level: 9 }).length / 1_000] as const);
	const total = sizes.reduce((sum, [, size]) => sum + size, 0);
	if (total <= budget) return [];
	const largest = [...sizes].sort(([, a], [, b]) => b - a).slice(0, 5);
	return [
		`web page: ${what} has ${total.toFixed(1)} kB, at most ${budget}; the largest: ${largest.map(([name, size]) => `${name} ${size.toFixed(1)}`).join(", ")}`,
	];
}
