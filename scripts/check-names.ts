import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { findFiles } from "./find-files.ts";

/** A source file with its content. */
interface SourceFile {
	readonly path: string;
	readonly text: string;
}

/** Names that `scripts/refused-names.txt` lists. */
export interface RefusedNames {
	/** Names of files without their ending. */
	readonly files: ReadonlySet<string>;
	/** Names of types and classes. */
	readonly types: ReadonlySet<string>;
}

const folders = ["core", "plugins", "plugins-auth", "plugins-runner", "examples"];

/** Returns a problem for each file and each declared type that has a refused name. */
export function checkNames(): Promise<string[]> {
	const isCode = (file: string) => /\.tsx?$/.test(file);
	const files = findFiles(folders, isCode).map((path) => ({ path, text: readFileSync(path, "utf8") }));
	return Promise.resolve(findRefused(files, readRefused(readFileSync("scripts/refused-names.txt", "utf8"))));
}

/** Reads the list: `file <name>` or `type <name>` on a line; `#` begins a comment. Throws if a line is neither. */
export function readRefused(text: string): RefusedNames {
	const files = new Set<string>();
	const types = new Set<string>();
	for (const line of text.split("\n")) {
		const [kind, name, ...rest] = line.replace(/#.*/, "").trim().split(/\s+/);
		if (kind === "") continue;
		if (name === undefined || rest.length > 0 || (kind !== "file" && kind !== "type")) {
			throw new Error(`scripts/refused-names.txt: "${line}" must be "file <name>" or "type <name>"`);
		}
		(kind === "file" ? files : types).add(name);
	}
	return { files, types };
}

export function findRefused(sources: readonly SourceFile[], { files, types }: RefusedNames): string[] {
	return sources.flatMap(({ path, text }) => {
		const name = basename(path).replace(/(\.test|\.test-support)?\.tsx?$/, "");
		const declared = [...text.matchAll(/^\s*(?:export )?(?:abstract )?(?:interface|type|class) (\w+)/gm)].map(([, type = ""]) => type);
		return [
			...(files.has(name) ? [`${path}: the file name "${name}" is refused by scripts/refused-names.txt`] : []),
			...declared
				.filter((type) => types.has(type))
				.map((type) => `${path}: the type name "${type}" is refused by scripts/refused-names.txt`),
		];
	});
}
