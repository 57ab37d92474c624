import { type ChildRequest, type ExecutionEntity, type JsonObject, SvcError, type WriteOperation } from "../../../contract/index.ts";
import type { Redactor } from "../../../secrets/redactor.ts";
import { type Principal, withScopes } from "../../basics/principal.ts";
import { toChildOrigin } from "../../executions/child-identity.ts";
import type { PartialRerun } from "../../submission/rerun-request.ts";
import { type DraftedExecution, draftExecution, toInsert } from "../../submission/submit.ts";
import type { ActiveRun } from "../active-runs.ts";
import type { RunDependencies } from "../run-dependencies.ts";

/** Members of a parent's context that its children inherit: the users for whom it runs, and the channel from which it was requested. */
const inheritedContextNames = ["api_user", "item_user", "source_channel"] as const;

/** Maximum depth of nested runs. An action that starts itself would otherwise never end. */
const maxDepth = 50;

/** Drafts and stores the children of one run. */
export class ChildStarter {
	readonly #parts: RunDependencies;
	readonly #run: ActiveRun;
	/** Cache: secrets of the run at the last draft, and their ciphertext for the children. */
	#encryptedSecrets: { readonly secrets: Redactor; readonly text: string | null } | undefined;

	constructor(parts: RunDependencies, run: ActiveRun) {
		this.#parts = parts;
		this.#run = run;
	}

	/** Checks a request for a child and drafts its execution. Stores nothing. Rejects with the error that starting the child would throw. */
	async draft(id: string, request: ChildRequest, partialRerun: PartialRerun | undefined): Promise<DraftedExecution> {
		const { key, action, parameters = {}, context = {}, delay, notify } = request;
		const { execution, secrets } = this.#run;
		const { authority, catalog } = this.#parts;
		const principal = await this.principal();
		const resolved = await catalog.resolve(action);
		if (resolved !== undefined) authority.assertMayRun(principal, resolved.action.ref);
		const { trace_context: _trace, ...givenContext } = secrets.withoutToken(context);
		const [pack = ""] = execution.action_ref.split(".", 1);
		const depth = this.#toDepth(action);
		return draftExecution(
			this.#parts,
			{
				action,
				parameters: secrets.withoutToken(parameters),
				// Never render the values as templates: they may contain input from outside.
				literalParameters: Object.keys(parameters),
				knownSecrets: this.#encrypt(secrets),
				context: {
					...this.#inheritedContext(),
					...givenContext,
					parent: { execution_id: execution.id, user: execution.user, pack, key, depth },
				},
				...(delay !== undefined && { delay }),
				...(notify !== undefined && { notify: secrets.withoutToken(notify) }),
			},
			{ ...principal, username: execution.user, ...(execution.author !== null && { author: execution.author }) },
			{ child: { id, parent: execution }, ...(partialRerun !== undefined && { partialRerun }) },
		);
	}

	/**
	 * Stores drafted children together with `alongside`, all or nothing, and schedules their runs. Drafts with a problem are stored as failed
	 * executions, with their completion effects.
	 */
	async store(drafts: readonly DraftedExecution[], alongside: readonly WriteOperation[]): Promise<void> {
		const { storage, completionEffects, admitAll } = this.#parts;
		const failed = drafts.filter(({ problem }) => problem !== undefined);
		const ready = drafts.filter(({ problem }) => problem === undefined);
		const effects = await Promise.all(failed.map(({ entity }) => completionEffects.draft(entity)));
		await admitAll(
			ready.map(({ entity }) => entity),
			(admitted) =>
				storage.write([
					...alongside,
					...failed.flatMap((draft) => toInsert(draft, draft.entity)),
					...effects.flatMap(({ operations }) => operations),
					...ready.flatMap((draft, index) => toInsert(draft, admitted[index] as ExecutionEntity)),
				]),
		);
		for (const effect of effects) effect.announce();
	}

	/** Returns the principal whose permissions apply to the run, restricted to the scopes of the API key with which the run was requested. */
	async principal(): Promise<Principal> {
		const { user, author, scopes } = this.#run.execution;
		return withScopes(await this.#parts.authority.principalOf(author ?? user), scopes);
	}

	/**
	 * Returns the nesting depth of a new child. The depth in the context counts only if the id of this run matches, because a client can write
	 * any depth there. Throws `SVC_INVALID` if the child would be too deep.
	 */
	#toDepth(action: string): number {
		const depth = (toChildOrigin(this.#run.execution)?.depth ?? 0) + 1;
		if (depth <= maxDepth) return depth;
		throw new SvcError(
			"SVC_INVALID",
			`action "${action}": executions may be nested at most ${maxDepth} levels deep; does an action start itself?`,
		);
	}

	#inheritedContext(): JsonObject {
		const { context } = this.#run.execution;
		return Object.fromEntries(inheritedContextNames.flatMap((name) => (context[name] === undefined ? [] : [[name, context[name]]])));
	}

	#encrypt(secrets: Redactor): string | null {
		if (this.#encryptedSecrets?.secrets !== secrets) {
			this.#encryptedSecrets = { secrets, text: this.#parts.sealedSecrets.encrypt(secrets) };
		}
		return this.#encryptedSecrets.text;
	}
}
