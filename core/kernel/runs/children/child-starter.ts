import { type ChildRequest, type ExecutionEntity, type JsonObject, SvcError, type WriteOperation } from "../../../contract/index.ts";
import type { KnownSecrets } from "../../../secrets/redactor.ts";
import { type Authority, type Principal, withScopes } from "../../basics/principal.ts";

import type { StoreAdmitted } from "../../executions/admission.ts";
import { toChildOrigin } from "../../executions/child-record.ts";
import type { Endings } from "../../executions/completion-effects.ts";
import type { TakeUp } from "../../submission/partial-rerun.ts";
import { type DraftedExecution, type DraftParts, draftExecution, toInsert } from "../../submission/submit.ts";
import type { Performance } from "../prepare-run.ts";

export interface ChildStartParts extends DraftParts {
	readonly endings: Endings;
	readonly authority: Authority;
	/** Let `store` keep new executions, all or none, and see to their being run. */
	readonly admitAll: (executions: readonly ExecutionEntity[], store: StoreAdmitted) => Promise<void>;
}

/** What of a parent's context its children have as well: in whose name it was asked for, and where. */
const inherited = ["api_user", "item_user", "source_channel"] as const;

/** Most runs that may stand in one another: what starts itself would never end. */
const deepest = 50;

/** Makes the children of one run, and stores them. */
export class ChildStarts {
	readonly #parts: ChildStartParts;
	readonly #performance: Performance;
	/** All that its children are to keep secret, as it was last sealed. */
	#sealed: { readonly known: KnownSecrets; readonly text: string | null } | undefined;

	constructor(parts: ChildStartParts, performance: Performance) {
		this.#parts = parts;
		this.#performance = performance;
	}

	/** Look at a request; nothing is stored. Rejects with what stands in its way. */
	async draft(id: string, request: ChildRequest, takeUp: TakeUp | undefined): Promise<DraftedExecution> {
		const { key, action, parameters = {}, context = {}, delay, notify } = request;
		const { execution, run } = this.#performance;
		const { authority, catalog } = this.#parts;
		const principal = await this.principal();
		const resolved = await catalog.resolve(action);
		if (resolved !== undefined) authority.assertMayRun(principal, resolved.action.ref);
		const { trace_context: _trace, ...given } = run.secrets.withoutToken(context);
		const [pack = ""] = execution.action_ref.split(".", 1);
		const depth = this.#toDepth(action);
		return draftExecution(
			this.#parts,
			{
				action,
				parameters: run.secrets.withoutToken(parameters),
				// What has come from outside may stand in it.
				literal: Object.keys(parameters),
				knownSecrets: this.#seal(run.secrets),
				context: { ...this.#inherited(), ...given, parent: { execution_id: execution.id, user: execution.user, pack, key, depth } },
				...(delay !== undefined && { delay }),
				...(notify !== undefined && { notify: run.secrets.withoutToken(notify) }),
			},
			{ ...principal, username: execution.user, ...(execution.author !== null && { author: execution.author }) },
			{ child: { id, parent: execution }, ...(takeUp !== undefined && { takeUp }) },
		);
	}

	/** Store what was drafted together with `alongside`, all or nothing, and see to its being run. */
	async store(drafts: readonly DraftedExecution[], alongside: readonly WriteOperation[]): Promise<void> {
		const { storage, endings, admitAll } = this.#parts;
		const failed = drafts.filter(({ problem }) => problem !== undefined);
		const ready = drafts.filter(({ problem }) => problem === undefined);
		const caused = await Promise.all(failed.map(({ entity }) => endings.draft(entity)));
		await admitAll(
			ready.map(({ entity }) => entity),
			(admitted) =>
				storage.write([
					...alongside,
					...failed.flatMap((draft) => toInsert(draft, draft.entity)),
					...caused.flatMap(({ operations }) => operations),
					...ready.flatMap((draft, index) => toInsert(draft, admitted[index] as ExecutionEntity)),
				]),
		);
		for (const ending of caused) ending.announce();
	}

	/** Whose permissions count, narrowed to the scopes of the key that the run was asked for with. */
	async principal(): Promise<Principal> {
		const { user, author, scopes } = this.#performance.execution;
		return withScopes(await this.#parts.authority.principalOf(author ?? user), scopes);
	}

	/** Of a child. Nothing that a caller writes counts: only what was started by a run says how deep it is. */
	#toDepth(action: string): number {
		const depth = (toChildOrigin(this.#performance.execution)?.depth ?? 0) + 1;
		if (depth <= deepest) return depth;
		throw new SvcError(
			"SVC_INVALID",
			`action "${action}": executions may stand in one another ${deepest} deep; does one of them start itself?`,
		);
	}

	#inherited(): JsonObject {
		const { context } = this.#performance.execution;
		return Object.fromEntries(inherited.flatMap((name) => (context[name] === undefined ? [] : [[name, context[name]]])));
	}

	#seal(known: KnownSecrets): string | null {
		if (this.#sealed?.known !== known) this.#sealed = { known, text: this.#parts.sealedSecrets.of(known) };
		return this.#sealed.text;
	}
}
