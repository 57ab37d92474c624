import type { JsonObject } from "../../contract/index.ts";
import type { Page, Paging } from "../../kernel/basics/pagination.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Redactor } from "../../secrets/redactor.ts";

/** A question that waits for an answer: an execution of the runner `inquirer` that is pending. */
export interface Inquiry {
	/** Id of the execution. */
	readonly id: string;
	readonly route: string;
	/** Minutes; 0 or less: for ever. */
	readonly ttl: number;
	/** Who may answer; empty: everybody. */
	readonly users: readonly string[];
	/** Roles of which one is needed to answer; empty: everybody may. */
	readonly roles: readonly string[];
	/** Schema of the answer. */
	readonly schema: JsonObject;
}

/** A question as it is looked at from outside. */
export interface InquiryView extends Inquiry {
	/** What of it must not be shown. */
	readonly secrets: Redactor;
}

export interface Inquiries {
	/** Inquiries that are pending, the oldest first unless `newestFirst` is true. */
	list(paging: Paging, options?: { readonly newestFirst?: boolean }): Promise<Page<InquiryView>>;
	/** `SVC_NOT_FOUND` for an unknown id; `SVC_INVALID` when it is no inquiry, or none that waits for an answer. */
	get(id: string): Promise<InquiryView>;
	/**
	 * Answer. Of several answers the first one counts; the others get `SVC_INVALID`, as from `get`. `SVC_FORBIDDEN` when the principal
	 * is not among those asked; `SVC_INVALID` when the answer does not fit the schema, after which another may be given. Resolves
	 * with the question and the answer as it is kept, with the defaults of the schema.
	 */
	respond(
		id: string,
		response: JsonObject,
		principal: Principal,
		reason?: string,
	): Promise<{ readonly inquiry: Inquiry; readonly response: JsonObject }>;
	/** Ref of the action that started the execution's parent, undefined without one. Whoever may run it may answer. */
	parentAction(id: string): Promise<string | undefined>;
}
