import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findFiles } from "./find-files.ts";

/** A source file with its content. */
interface SourceFile {
	readonly path: string;
	readonly text: string;
}

/** Counts that describe how the code is cut. */
export interface StructureCounts {
	/** Files of the kernel, tests left out. */
	readonly kernelFiles: number;
	readonly kernelLines: number;
	/** Lines that are neither blank, nor comment, nor import. */
	readonly kernelCode: number;
	/** Files with fewer than 60 lines that exactly one file imports, which lies in the same folder. */
	readonly smallPrivateFiles: number;
	/** Interfaces and types with a name that ends with `Parts`. */
	readonly partsTypes: number;
}

/**
 * The most that each count may be. A count may fall: then lower the bound here. It may rise only in a commit that says why.
 */
const bounds: StructureCounts = { kernelFiles: 116, kernelLines: 14_660, kernelCode: 9_264, smallPrivateFiles: 59, partsTypes: 3 };

const folders = ["core", "plugins", "plugins-auth", "plugins-runner"];
const smallFile = 60;

/** Prints the counts, and gives those that exceed their bound. */
export function checkStructure(): Promise<string[]> {
	const isCode = (file: string) => /\.tsx?$/.test(file) && !/\.(test|test-support)\.tsx?$/.test(file);
	const files = findFiles(folders, isCode).map((path) => ({ path, text: readFileSync(path, "utf8") }));
	const counts = countStructure(files);
	process.stdout.write(`     structure: ${toSummary(counts)}\n`);
	return Promise.resolve(findExceeded(counts, bounds));
}

function toSummary(counts: StructureCounts): string {
	return Object.entries(counts)
		.map(([name, count]) => `${name} ${count}`)
		.join(", ");
}

/** Each count that exceeds its bound, as a sentence. */
export function findExceeded(counts: StructureCounts, bounds: StructureCounts): string[] {
	const names = Object.keys(bounds) as (keyof StructureCounts)[];
	return names.flatMap((name) => (counts[name] > bounds[name] ? [`${name} is ${counts[name]}; ${bounds[name]} at most`] : []));
}

export function countStructure(files: readonly SourceFile[]): StructureCounts {
	const kernel = files.filter(({ path }) => path.startsWith("core/kernel/"));
	return {
		kernelFiles: kernel.length,
		kernelLines: sum(kernel.map(({ text }) => countLines(text))),
		kernelCode: sum(kernel.map(({ text }) => countCode(text))),
		smallPrivateFiles: findSmallPrivateFiles(files).length,
		partsTypes: sum(files.map(({ text }) => text.match(/^\s*(?:export )?(?:interface|type) \w*Parts\b/gm)?.length ?? 0)),
	};
}

function findSmallPrivateFiles(files: readonly SourceFile[]): readonly string[] {
	const importers = new Map<string, Set<string>>();
	for (const { path, text } of files) {
		for (const [, name = ""] of text.matchAll(/(?:from|import\() ?"(\.[^"]+)"|^import "(\.[^"]+)"/gm)) {
			const target = join(dirname(path), name);
			importers.set(target, (importers.get(target) ?? new Set()).add(path));
		}
	}
	return files.flatMap(({ path, text }) => {
		const [only, ...others] = importers.get(path) ?? [];
		const isPrivate = only !== undefined && others.length === 0 && dirname(only) === dirname(path);
		return isPrivate && countLines(text) < smallFile ? [path] : [];
	});
}

function countLines(text: string): number {
	return text.split("\n").length - 1;
}

function countCode(text: string): number {
	const withoutImports = text.replace(/^import (?:[^;]|\n)*?(?:from )?"[^"]+";$/gm, "");
	return withoutImports.split("\n").filter((line) => !/^\s*(?:$|\/\/|\/\*|\*)/.test(line)).length;
}

function sum(numbers: readonly number[]): number {
	return numbers.reduce((total, number) => total + number, 0);
}
