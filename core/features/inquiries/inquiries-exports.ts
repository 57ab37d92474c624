import type { JsonObject } from "../../contract/index.ts";
import type { Page, Paging } from "../../kernel/basics/pagination.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Redactor } from "../../secrets/redactor.ts";

/** A pending inquiry: a pending execution of the runner `inquirer`. */
export interface Inquiry {
	/** Id of the execution. */
	readonly id: string;
	readonly route: string;
	/** Lifetime of the inquiry in minutes; 0 or less if it never times out. */
	readonly ttl: number;
	/** Users who may respond; empty for all users. */
	readonly users: readonly string[];
	/** Roles that may respond; a user needs one of them. Empty if no role is required. */
	readonly roles: readonly string[];
	/** Schema of the response. */
	readonly schema: JsonObject;
}

/** An inquiry with the data for masking its secrets. */
export interface InquiryView extends Inquiry {
	/** Masks the secrets of the inquiry. */
	readonly secrets: Redactor;
}

export interface Inquiries {
	/** Returns pending inquiries, oldest first unless `newestFirst` is true. */
	list(paging: Paging, options?: { readonly newestFirst?: boolean }): Promise<Page<InquiryView>>;
	/** Returns a pending inquiry. Throws `SVC_NOT_FOUND` for an unknown id, and `SVC_INVALID` if it is not a pending inquiry. */
	get(id: string): Promise<InquiryView>;
	/**
	 * Responds to an inquiry. Returns the inquiry and the stored response, which includes the defaults of the schema.
	 *
	 * Accepts only the first response. Throws `SVC_NOT_FOUND` for an unknown id, and `SVC_INVALID` if the inquiry is no longer pending or
	 * the response violates the schema; in the latter case it stays pending. Throws `SVC_FORBIDDEN` if the inquiry is not addressed to the
	 * principal.
	 */
	respond(
		id: string,
		response: JsonObject,
		principal: Principal,
		reason?: string,
	): Promise<{ readonly inquiry: Inquiry; readonly response: JsonObject }>;
	/** Returns the action ref of the parent execution, or undefined without a parent. Users who may run that action may respond. */
	parentAction(id: string): Promise<string | undefined>;
}
