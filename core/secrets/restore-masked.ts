import { isDeepStrictEqual } from "node:util";
import { type JsonObject, SvcError } from "../contract/index.ts";
import { mask, restoreMasked } from "../language/parameters/schema-masking.ts";

/** Values as they are stored, and as they were shown: with secrets masked. */
export interface StoredValues {
	readonly shown: JsonObject;
	readonly stored: JsonObject;
}

export interface HiddenValuesOwner {
	/** Undefined: the program that the engine is part of, which may do everything. */
	readonly principal: { readonly isAdmin: boolean } | undefined;
	/** True if whatever else decides where the values go stays as it is. Default true. */
	readonly isRestKept?: boolean;
}

/**
 * Values of an update with what is stored wherever they hold the mask.
 *
 * Only administrators may keep a hidden value and change anything that decides where it goes: beside another address, command or template
 * the secret would go where that says, and the author of the change may not see it. `SVC_INVALID` then, naming `path`.
 */
export function restoreHidden(
	path: string,
	given: JsonObject,
	{ shown, stored }: StoredValues,
	{ principal, isRestKept = true }: HiddenValuesOwner,
): JsonObject {
	const restored = restoreMasked(given, shown, stored) as JsonObject;
	const isAllKept = () => isRestKept && isDeepStrictEqual(given, shown);
	if (principal === undefined || principal.isAdmin || isDeepStrictEqual(restored, given) || isAllKept()) return restored;
	throw new SvcError("SVC_INVALID", `${path}: "${mask}" keeps a hidden value only while the others stay; give the value itself`);
}
