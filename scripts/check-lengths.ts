import { existsSync, readFileSync } from "node:fs";
import { parseSync } from "@swc/core";
import { findFiles } from "./find-files.ts";

/** Lines of a function that fit a screen, with the functions inside of it: one that holds many others is a class or a file in disguise. */
const longestFunction = 60;
/** Lines of a class. */
const longestClass = 250;
/** Lines of a file. */
const longestFile = 500;
/** Files whose class is longer than `longestClass`, with its lines. They may only become shorter. */
const longClasses: Readonly<Record<string, number>> = {
	"plugins-runner/_process/launched-process.ts": 264,
};
/** Files that are one table, or made of one. */
const tables: ReadonlySet<string> = new Set([
	"core/contract/options.ts",
	"core/contract/options-input.ts",
	"bench/harness/list-queries.ts",
]);

const folders = ["core", "plugins", "plugins-auth", "plugins-runner", "examples", "bench", "scripts"];
const functionTypes: ReadonlySet<unknown> = new Set([
	"FunctionDeclaration",
	"FunctionExpression",
	"ArrowFunctionExpression",
	"ClassMethod",
	"PrivateMethod",
	"Constructor",
	"MethodProperty",
	"GetterProperty",
	"SetterProperty",
]);

const classTypes: ReadonlySet<unknown> = new Set(["ClassDeclaration", "ClassExpression"]);

interface Measured {
	readonly name: string;
	readonly isClass: boolean;
	/** Where it begins. */
	readonly line: number;
	readonly lines: number;
}

/** Functions, classes and files that are too long, tests left out. */
export function checkLengths(): Promise<string[]> {
	const isCode = (file: string) => /\.tsx?$/.test(file) && !/\.(test|test-support)\.ts$/.test(file);
	const read = (file: string) => (existsSync(file) ? findTooLong(file, readFileSync(file, "utf8")) : []);
	return Promise.resolve(findFiles(folders, isCode).flatMap(read));
}

/** What is too long in a file. */
export function findTooLong(file: string, text: string): string[] {
	if (tables.has(file)) return [];
	const lines = text.split("\n").length - 1;
	return [
		...(lines > longestFile ? [`${file} has ${lines} lines; ${longestFile} at most, unless it is a table`] : []),
		...measure(text, file.endsWith(".tsx")).flatMap((found) => {
			const longest = found.isClass ? (longClasses[file] ?? longestClass) : longestFunction;
			return found.lines <= longest ? [] : [`${file}:${found.line} ${found.name} has ${found.lines} lines; ${longest} at most`];
		}),
	];
}

/** Every function and class of a program, in the order of the text. */
function measure(text: string, isMarkup: boolean): readonly Measured[] {
	// A program begins for the parser at its first token; this makes that the beginning of the text. A `#!` may stand nowhere else.
	const source = `;${text.replace(/^#!/, "//")}`;
	const program = parseSync(source, { syntax: "typescript", tsx: isMarkup, target: "es2022" });
	const lineAt = toLines(source, program.span.start);
	const found: Measured[] = [];

	function visit(node: unknown, name: string): void {
		if (typeof node !== "object" || node === null) return;
		if (Array.isArray(node)) {
			for (const each of node) visit(each, name);
			return;
		}
		const named = nameOf(node) ?? name;
		const own = toMeasured(node, named, lineAt);
		if (own !== undefined) found.push(own);
		for (const [key, value] of Object.entries(node)) if (key !== "span") visit(value, named);
	}

	visit(program.body, "");
	return found;
}

function toMeasured(node: object, name: string, lineAt: (position: number) => number): Measured | undefined {
	const { type, span, function: method } = node as { type?: unknown; span?: Span; function?: { span: Span } };
	const place = span ?? method?.span;
	const isClass = classTypes.has(type);
	if ((!isClass && !functionTypes.has(type)) || place === undefined) return undefined;
	const line = lineAt(place.start);
	return { name, isClass, line, lines: lineAt(place.end) - line + 1 };
}

interface Span {
	readonly start: number;
	readonly end: number;
}

/** What a declaration, a member or a variable is called. */
function nameOf(node: object): string | undefined {
	const { identifier, key, id } = node as Readonly<Record<string, { value?: unknown; id?: { value?: unknown } } | undefined>>;
	const name = identifier?.value ?? key?.value ?? key?.id?.value ?? id?.value;
	return typeof name === "string" ? name : undefined;
}

/** Line of a position: the parser counts bytes, from `base` on. */
function toLines(source: string, base: number): (position: number) => number {
	const bytes = Buffer.from(source);
	const lineOf = new Uint32Array(bytes.length + 1);
	let line = 1;
	for (let index = 0; index <= bytes.length; index++) {
		lineOf[index] = line;
		if (bytes[index] === 10) line += 1;
	}
	return (position) => lineOf[position - base] ?? line;
}
