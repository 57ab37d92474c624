import { SvcError } from "../../contract/index.ts";
import { parameterNamePattern } from "../parameters/check-definitions.ts";
import { readCommand } from "./command-text.ts";
import { toValue } from "./value-text.ts";

/** A piece of a format: text, which is a regular expression, or the place of a value. */
export type FormatPart =
	| { readonly kind: "text"; readonly text: string }
	| { readonly kind: "value"; readonly name: string; readonly fallback: string | undefined };

/** What a format may be at most. */
export const formatLimits = { length: 2_000, values: 50 };

/** The pieces of a format. `SVC_INVALID` says what is wrong with it. */
export function toFormatParts(format: string): readonly FormatPart[] {
	if (format.trim() === "") throw new SvcError("SVC_INVALID", "must not be empty");
	if (format.length > formatLimits.length) {
		throw new SvcError("SVC_INVALID", `must have at most ${formatLimits.length} characters, got ${format.length}`);
	}
	const parts: FormatPart[] = [];
	let at = 0;
	for (let open = format.indexOf("{{"); open !== -1; open = format.indexOf("{{", at)) {
		const close = findClose(format, open + 2);
		if (close === undefined) throw new SvcError("SVC_INVALID", `"${shorten(format.slice(open))}" has no }} at its end`);
		if (open > at) parts.push({ kind: "text", text: format.slice(at, open) });
		parts.push(toValuePart(format.slice(open + 2, close)));
		at = close + 2;
	}
	if (at < format.length) parts.push({ kind: "text", text: format.slice(at) });
	if (parts.filter(({ kind }) => kind === "value").length > formatLimits.values) {
		throw new SvcError("SVC_INVALID", `must have at most ${formatLimits.values} values in {{ }}`);
	}
	return parts;
}

/** Of three braces the first one belongs to what stands within, as in `{{ options={} }}` without the blank. */
function findClose(format: string, from: number): number | undefined {
	let close = format.indexOf("}}", from);
	if (close === -1) return undefined;
	while (format[close + 2] === "}") close += 1;
	return close;
}

function toValuePart(inner: string): FormatPart {
	const equals = inner.indexOf("=");
	const name = (equals === -1 ? inner : inner.slice(0, equals)).trim();
	if (!parameterNamePattern.test(name)) {
		throw new SvcError(
			"SVC_INVALID",
			`"{{${shorten(inner)}}}" must be {{ name }} or {{ name=default }}; names consist of letters, digits and _`,
		);
	}
	return { kind: "value", name, fallback: equals === -1 ? undefined : toValue(readCommand(inner.slice(equals + 1))) };
}

function shorten(text: string): string {
	return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
