import type { EncryptedSecrets } from "../../secrets/encrypted-secrets.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { EngineDependencies } from "../plugins/engine-dependencies.ts";
import type { ActiveRun } from "./active-runs.ts";

/**
 * Encrypts the secrets of a run, to be stored with the execution while it runs. `isResumable`: true if another process may continue the
 * run; the token is then included, because that process uses it again and must mask it.
 */
export function encryptRunSecrets(
	{ prepared, secrets, learnedSecrets }: ActiveRun,
	sealedSecrets: EncryptedSecrets,
	{ isResumable }: { readonly isResumable: boolean },
): string | null {
	const runSecrets = sealedSecrets.union(sealedSecrets.withoutToken(prepared.encryptedSecrets), sealedSecrets.encrypt(learnedSecrets));
	return isResumable ? sealedSecrets.addToken(runSecrets, secrets) : runSecrets;
}

/** Masks secrets in the log. Returns a function that ends the masking. */
export function addLogSecrets(
	logger: Pick<EngineDependencies["logger"], "addSecret" | "forgetSecret">,
	{ values, token }: Redactor,
): () => void {
	for (const value of values) logger.addSecret(value);
	if (token !== undefined) logger.addSecret(token, { always: true });
	return () => {
		for (const value of token === undefined ? values : [...values, token]) logger.forgetSecret(value);
	};
}
