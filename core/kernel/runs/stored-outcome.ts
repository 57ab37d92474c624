import { collectMasked } from "../../language/parameters/schema-masking.ts";
import type { EncryptedSecrets } from "../../secrets/encrypted-secrets.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import { findResultSecrets } from "../../secrets/result-masking.ts";
import type { EngineDependencies } from "../plugins/engine-dependencies.ts";
import type { ActiveRun } from "./active-runs.ts";
import type { RunOutcome } from "./outcome.ts";
import { validateResult } from "./result-validation.ts";

/** Outcome of a run as it is stored. */
export interface StoredOutcome extends RunOutcome {
	/** Encrypted secrets of the run at its end; null if there are none. */
	readonly encryptedSecrets: string | null;
}

/**
 * Returns the outcome as it is stored: the token is removed from the result, and the result is checked against the output schema. Its
 * encrypted secrets include the secrets in the result and those that the run has read.
 */
export function toStoredOutcome({ status, result }: RunOutcome, run: ActiveRun, sealedSecrets: EncryptedSecrets): StoredOutcome {
	const { snapshot } = run.prepared;
	const cleanResult = run.secrets.withoutToken(result);
	const runSecrets = encryptRunSecrets(run, sealedSecrets, { isResumable: false });
	const resultSecrets = findResultSecrets(cleanResult, snapshot);
	const checked = validateResult({ status, result: cleanResult }, snapshot);
	const concealed = checked.status === status ? [] : collectMasked(cleanResult, checked.result);
	return { ...checked, encryptedSecrets: sealedSecrets.addValues(runSecrets, [...resultSecrets, ...concealed]) };
}

/**
 * Returns the outcome of a paused run as it is stored. Its encrypted secrets include the token, because the process that continues the run
 * uses the token again and must mask it.
 */
export function toStoredPause(outcome: RunOutcome, run: ActiveRun, sealedSecrets: EncryptedSecrets): StoredOutcome {
	const stored = toStoredOutcome(outcome, run, sealedSecrets);
	return { ...stored, encryptedSecrets: sealedSecrets.addToken(stored.encryptedSecrets, run.secrets) };
}

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
export function hideInLog(
	logger: Pick<EngineDependencies["logger"], "addSecret" | "forgetSecret">,
	{ values, token }: Redactor,
): () => void {
	for (const value of values) logger.addSecret(value);
	if (token !== undefined) logger.addSecret(token, { always: true });
	return () => {
		for (const value of token === undefined ? values : [...values, token]) logger.forgetSecret(value);
	};
}
