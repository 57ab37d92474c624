import { posix } from "node:path";
import type { PackageExports } from "./check-exports.ts";

export interface TypeSources {
	/** Packages that are always installed with this one. */
	readonly packages: readonly string[];
	/** Declarations that are in the package. */
	readonly declarations: readonly string[];
	/** Text of a file of the package; undefined when it is not in it. */
	read(file: string): string | undefined;
}

const imports = /(?:\bfrom\s+|\bimport\(|\bimport\s+)"([^"]+)"/g;
/** Their types do not compile without `skipLibCheck`, so that no exported type may lead to them. */
const unsound = ["h3", "listhen"];

/**
 * Where the exported types lead outside: to a declaration that is not published or a package that may not be there, which TypeScript
 * takes for `any` without a word, or to types that do not compile. And declarations that nobody can come to.
 */
export function findTypeProblems(exports: PackageExports, sources: TypeSources): string[] {
	const problems: string[] = [];
	const seen = new Set(entriesOf(exports));
	for (const file of seen) {
		for (const [, specifier = ""] of sources.read(file)?.matchAll(imports) ?? []) {
			const next = specifier.startsWith(".") ? toDeclaration(file, specifier) : undefined;
			const problem = next === undefined ? findPackageProblem(specifier, sources) : findFileProblem(next, sources);
			if (problem !== undefined) problems.push(`${file}: "${specifier}" ${problem}`);
			else if (next !== undefined) seen.add(next);
		}
	}
	const left = sources.declarations.filter((file) => !seen.has(file));
	return [...problems, ...left.map((file) => `${file} is in the package, and no export leads to it; hint: npm run build`)];
}

function entriesOf(exports: PackageExports): readonly string[] {
	return Object.values(exports).flatMap((target) => (typeof target === "string" ? [] : [target.types.replace("./", "")]));
}

function toDeclaration(file: string, specifier: string): string {
	return posix.join(posix.dirname(file), specifier.replace(/\.[jt]s$/, ".d.ts"));
}

function findFileProblem(file: string, { read }: TypeSources): string | undefined {
	return read(file) === undefined ? "is not in the package" : undefined;
}

function findPackageProblem(specifier: string, { packages }: TypeSources): string | undefined {
	if (specifier.startsWith("node:")) return undefined;
	const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
	if (unsound.includes(name)) return "has types that do not compile by themselves";
	return packages.includes(name) ? undefined : "is no dependency: its types are any where it is not installed";
}
