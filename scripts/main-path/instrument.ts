import { parseSync } from "@swc/core";

interface Span {
	readonly start: number;
	readonly end: number;
}

interface Insertion {
	readonly at: number;
	readonly text: string;
}

/** The global array to which an instrumented function adds its file when it is called. Nothing is added while it is undefined. */
export const enteredFiles = "svcEnteredFiles";

/** Returns a module of TypeScript in which every function first reports `path`. */
export function instrument(text: string, path: string): string {
	// The spans of the parser begin at the first token, which this makes the first byte of the text.
	const source = `;${text.replace(/^#!/, "//")}`;
	const program = parseSync(source, { syntax: "typescript", target: "es2022", decorators: true });
	const report = `globalThis.${enteredFiles}?.push(${JSON.stringify(path)})`;
	const insertions: Insertion[] = [];

	function visit(node: unknown): void {
		if (typeof node !== "object" || node === null) return;
		if (Array.isArray(node)) return node.forEach(visit);
		insertions.push(...insertionsFor(node, report));
		for (const [key, value] of Object.entries(node)) if (key !== "span") visit(value);
	}

	visit(program.body);
	return splice(Buffer.from(source), insertions, program.span.start);
}

function insertionsFor(node: object, report: string): readonly Insertion[] {
	const { type, span, body } = node as { readonly type?: string; readonly span?: Span; readonly body?: { type: string; span: Span } };
	if (type === "FunctionBody" && span !== undefined) return [{ at: span.start + 1, text: `${report};` }];
	if (type !== "ArrowFunctionExpression" || body === undefined || body.type === "FunctionBody") return [];
	if (body.type === "BlockStatement") return [{ at: body.span.start + 1, text: `${report};` }];
	return [
		{ at: body.span.start, text: `(${report}, ` },
		{ at: body.span.end, text: ")" },
	];
}

/** Positions count bytes from `base` on. */
function splice(source: Buffer, insertions: readonly Insertion[], base: number): string {
	const pieces: (string | Buffer)[] = [];
	let from = 0;
	for (const { at, text } of [...insertions].sort((a, b) => a.at - b.at)) {
		pieces.push(source.subarray(from, at - base).toString(), text);
		from = at - base;
	}
	return [...pieces, source.subarray(from).toString()].join("");
}
