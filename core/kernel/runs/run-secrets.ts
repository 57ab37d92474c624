import { collectMasked } from "../../language/parameters/schema-masking.ts";
import type { SealedSecrets } from "../../secrets/encrypted-secrets.ts";
import type { KnownSecrets } from "../../secrets/redactor.ts";
import { findResultSecrets } from "../../secrets/result-masking.ts";
import type { EngineDependencies } from "../plugins/engine-dependencies.ts";
import type { Outcome } from "./outcome.ts";
import { checkOutput } from "./output-schema.ts";
import type { Performance } from "./prepare-run.ts";

/** How a run ended, as it is recorded. */
export interface KeptOutcome extends Outcome {
	/** What is known to be secret at the end. */
	readonly sealed: string | null;
}

/** Returns the outcome without the token, checked by the output schema, and with what the result and those of children say to be secret. */
export function toKept({ status, result }: Outcome, { run, prepared }: Performance, sealing: SealedSecrets): KeptOutcome {
	const kept = run.secrets.withoutToken(result);
	const known = sealing.join(sealing.withoutToken(prepared.sealed), sealing.of(run.learnt));
	const found = findResultSecrets(kept, prepared.snapshot);
	const checked = checkOutput({ status, result: kept }, prepared.snapshot);
	const concealed = checked.status === status ? [] : collectMasked(kept, checked.result);
	return { ...checked, sealed: sealing.add(known, [...found, ...concealed]) };
}

/** The same of a run that is to go on: whoever does that must know what not to show. */
export function toKeptPause(outcome: Outcome, performance: Performance, sealing: SealedSecrets): KeptOutcome {
	const kept = toKept(outcome, performance, sealing);
	return { ...kept, sealed: sealing.addToken(kept.sealed, performance.run.secrets) };
}

/** What is kept with the execution while it runs; `isFound`: another process may go on with it, and must know what not to show. */
export function toSealed(
	{ run, prepared }: Performance,
	sealing: SealedSecrets,
	{ isFound }: { readonly isFound: boolean },
): string | null {
	const known = sealing.join(sealing.withoutToken(prepared.sealed), sealing.of(run.learnt));
	return isFound ? sealing.addToken(known, run.secrets) : known;
}

/** Keep secrets out of the log; call what is returned when they need not be any more. */
export function hideInLog(
	logger: Pick<EngineDependencies["logger"], "addSecret" | "forgetSecret">,
	{ values, token }: KnownSecrets,
): () => void {
	for (const value of values) logger.addSecret(value);
	if (token !== undefined) logger.addSecret(token, { always: true });
	return () => {
		for (const value of token === undefined ? values : [...values, token]) logger.forgetSecret(value);
	};
}
