import { isDeepStrictEqual } from "node:util";
import { type JsonObject, SvcError } from "../contract/index.ts";
import { secretMask } from "../contract/secret-mask.ts";
import { restoreMasked } from "../language/parameters/schema-masking.ts";

/** Circumstances that determine whether hidden values may be kept. */
export interface RestoreMaskedOptions {
	/** The user of the update. Undefined for a call by the embedding program, which has all permissions. */
	readonly principal: { readonly isAdmin: boolean } | undefined;
	/** True if everything else that determines the destination of the values is unchanged. Default true. */
	readonly isDestinationUnchanged?: boolean;
}

/**
 * Replaces the masks in the values of an update by the stored values. `masked`: the stored values as the user was shown them.
 *
 * Throws `SVC_INVALID`, which names `path`, unless the user is an administrator or nothing changes that determines the destination of a
 * hidden value. Otherwise a user who may not see the secret could redirect it to another address, command or template.
 */
export function restoreMaskedValues(
	path: string,
	given: JsonObject,
	{ masked, stored }: { readonly masked: JsonObject; readonly stored: JsonObject },
	{ principal, isDestinationUnchanged = true }: RestoreMaskedOptions,
): JsonObject {
	const restored = restoreMasked(given, masked, stored) as JsonObject;
	const isUnchanged = () => isDestinationUnchanged && isDeepStrictEqual(given, masked);
	if (principal === undefined || principal.isAdmin || isDeepStrictEqual(restored, given) || isUnchanged()) return restored;
	throw new SvcError(
		"SVC_INVALID",
		`${path}: "${secretMask}" keeps a hidden value only if the rest of the list is unchanged; give the actual value`,
	);
}
