import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A name that a part of the package exports. */
export interface ExportedName {
	readonly name: string;
	readonly kind: "function" | "class" | "value" | "type";
	/** First sentence of its doc comment; empty without one. */
	readonly summary: string;
	readonly file: string;
}

/** Reads a source file. Given, so that tests can stand in for the project. */
export type Read = (file: string) => string;

const declaration = /^(\/\*\*(?:(?!\*\/)[^])*?\*\/\n)?(?:\/\/ .*\n)*export (?:async )?(interface|type|const|function|class) (\w+)/gm;

/** Everything that a barrel file exports, what comes from other files included, by name. */
export function readExports(file: string, read: Read = (path) => readFileSync(path, "utf8")): readonly ExportedName[] {
	const text = read(file);
	const found = new Map<string, ExportedName>();
	for (const [, comment = "", keyword = "", name = ""] of text.matchAll(declaration)) {
		found.set(name, { name, kind: toKind(keyword), summary: toSummary(comment), file });
	}
	for (const [, onlyTypes, list = "", path = ""] of text.matchAll(/^export (type )?(\*|\{[^}]*\}) from "(.+?)";/gm)) {
		const inner = readExports(join(dirname(file), path), read);
		const wanted = list === "*" ? undefined : toNames(list);
		for (const exported of inner) {
			const isType = exported.kind === "type";
			if (wanted === undefined ? !onlyTypes || isType : wanted.has(exported.name)) found.set(exported.name, exported);
		}
	}
	return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function toNames(list: string): ReadonlySet<string> {
	return new Set(
		list
			.slice(1, -1)
			.split(",")
			.map((name) => name.trim().replace(/^type /, "")),
	);
}

function toKind(keyword: string): ExportedName["kind"] {
	if (keyword === "interface" || keyword === "type") return "type";
	return keyword === "const" ? "value" : keyword === "class" ? "class" : "function";
}

function toSummary(comment: string): string {
	const [paragraph = ""] = comment
		.replace(/^\/\*\*|\*\/\n?$/g, "")
		.replace(/^\s*\* ?/gm, "")
		.trim()
		.split(/\n\s*\n|\n(?=[@|-])/);
	const sentence = /^[^]*?\.(?=\s|$)/.exec(paragraph)?.[0] ?? paragraph;
	return sentence.replace(/\s+/g, " ").replaceAll("|", "\\|").replace(/:$/, ".").trim();
}
