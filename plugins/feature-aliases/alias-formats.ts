import { SvcError, toErrorMessage } from "../../core/contract/index.ts";
import type { AliasFormat } from "./entities.ts";
import { createAliasFormat, type AliasFormat as ReadableFormat } from "./format/alias-format.ts";

/** Single pattern for a command. */
export interface Representation {
	readonly display: string;
	readonly representation: string;
	readonly isMultiple: boolean;
}

/** Maximum number of representations in all formats of an alias. */
export const maxRepresentations = 200;
const maxDisplayLength = 2_000;

/** Maximum number of cached compiled formats. */
const cacheEntries = 20_000;
const cache = new Map<string, ReadableFormat>();

/** Returns all representations of an alias in their order. */
export function toRepresentations(formats: readonly AliasFormat[]): readonly Representation[] {
	return formats.flatMap((format) => {
		if (typeof format === "string") return { display: format, representation: format, isMultiple: false };
		const { display, match_multiple: isMultiple = false } = format;
		return format.representation.map((representation) => ({ display, representation, isMultiple }));
	});
}

/** Compiles a representation for matching. Throws `SVC_INVALID` if it is invalid. */
export function compileRepresentation({ representation, isMultiple }: Representation): ReadableFormat {
	const key = `${isMultiple}:${representation}`;
	let compiled = cache.get(key);
	if (compiled === undefined) {
		compiled = createAliasFormat(representation, isMultiple);
		if (cache.size >= cacheEntries) cache.delete(cache.keys().next().value as string);
		cache.set(key, compiled);
	}
	return compiled;
}

/** Throws `SVC_INVALID` with the path of the first invalid format. */
export function checkFormats(formats: readonly AliasFormat[]): void {
	if (formats.length === 0) throw new SvcError("SVC_INVALID", "formats: must contain at least one format");
	const count = toRepresentations(formats).length;
	if (count > maxRepresentations)
		throw new SvcError("SVC_INVALID", `formats: must contain at most ${maxRepresentations} formats in total, got ${count}`);
	for (const [index, format] of formats.entries()) {
		const texts = typeof format === "string" ? [format] : format.representation;
		if (typeof format !== "string" && format.display.length > maxDisplayLength) {
			throw new SvcError("SVC_INVALID", `formats[${index}].display: must have at most ${maxDisplayLength} characters`);
		}
		for (const [place, representation] of texts.entries()) {
			const path = typeof format === "string" ? `formats[${index}]` : `formats[${index}].representation[${place}]`;
			checkFormat(path, representation, typeof format !== "string" && format.match_multiple === true);
		}
	}
}

function checkFormat(path: string, representation: string, isMultiple: boolean): void {
	try {
		createAliasFormat(representation, isMultiple);
	} catch (error) {
		throw new SvcError("SVC_INVALID", `${path}: ${toErrorMessage(error)}`, { cause: error });
	}
}
