import type { EngineDependencies } from "../plugins/dependencies.ts";
import type { KnownSecrets } from "../secrets/known-secrets.ts";
import { findResultSecrets } from "../secrets/result-secrets.ts";
import type { SealedSecrets } from "../secrets/sealed-secrets.ts";
import type { Outcome } from "./outcome.ts";
import type { PreparedRun } from "./prepare-run.ts";

/** How a run ended, as it is recorded. */
export interface KeptOutcome extends Outcome {
	/** What is known to be secret at the end. */
	readonly sealed: string | null;
}

/** The outcome without the token, and with what the result says to be secret. */
export function toKept({ status, result }: Outcome, { secrets, sealed, snapshot }: PreparedRun, sealing: SealedSecrets): KeptOutcome {
	const kept = secrets.withoutToken(result);
	return { status, result: kept, sealed: sealing.add(sealing.withoutToken(sealed), findResultSecrets(kept, snapshot)) };
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
