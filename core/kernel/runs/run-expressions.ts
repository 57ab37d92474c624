import type { DialectNames, ExecutionEntity, Expressions } from "../../contract/index.ts";
import { createExpressions } from "../../language/expressions/expressions.ts";
import { noteDecrypted } from "../../secrets/encrypted-secrets.ts";
import { KnownSecrets } from "../../secrets/redactor.ts";
import { type TemplateSources, toItemUser } from "../submission/template-sources.ts";
import type { RunCalls } from "./host-calls.ts";

export interface RunExpressionParts {
	readonly execution: ExecutionEntity;
	readonly templateSources: TemplateSources;
	/** Other names of variables and functions. */
	readonly names: DialectNames;
	readonly calls: RunCalls;
	/** Have the run know what is secret in what it is told. */
	readonly learn: (known: KnownSecrets) => Promise<void>;
}

/** The expressions of one run. */
export function createRunExpressions({ execution, templateSources, names, calls, learn }: RunExpressionParts): Expressions {
	const plain = createExpressions({ names });
	const user = toItemUser(execution.context, templateSources.systemUser);
	const access = templateSources.items.accessFor(user, execution);
	return {
		find: (value, language) => plain.find(value, language),
		evaluate: (value, scope) =>
			calls.outlast(async () => {
				const secrets: string[] = [];
				try {
					return await createExpressions({ datastore: noteDecrypted(access, secrets), names }).evaluate(value, scope);
				} finally {
					// Before what it says, or fails with, gets anywhere.
					if (secrets.length > 0) await learn(KnownSecrets.none.with(secrets));
				}
			}),
	};
}
