import type { RbacConfig } from "../../contract/index.ts";
import type { PermissionType } from "../../features/access/permission-types.ts";

export type Grants = NonNullable<NonNullable<RbacConfig["roles"]>[number]["permission_grants"]>;

/** What takes care to be shown, each with a text that the service of the matrix has in it and nowhere else. */
export const guardedFields = {
	result: { pattern: /a result kept/, meaning: "result of an execution" },
	output: { pattern: /a word aloud/, meaning: "output of an execution" },
	parameters: { pattern: /"parameters":\{"pin":"|A PAYLOAD/, meaning: "parameters of an execution" },
	secrets: { pattern: /a secret pin/, meaning: "values of secret parameters" },
	payload: { pattern: /a payload/, meaning: "payload of an event, or body of a webhook delivery" },
	title: { pattern: /webhook disk\/full/, meaning: "what a trigger is, such as the URL of a webhook" },
	rules: { pattern: /"rules":\["default\.answer"\]/, meaning: "rules that use a webhook or a timer" },
	configuration: { pattern: /a configured secret/, meaning: "secrets of a pack's configuration" },
	items: { pattern: /a kept value/, meaning: "secret values of the datastore" },
	own: { pattern: /a private value/, meaning: "datastore items of a user, as items or in events" },
	key: { pattern: /"key":"[\w-]{60,}"/, meaning: "an API key" },
	hashes: { pattern: /"key_hash":"[0-9a-f]{128}"/, meaning: "hashes of API keys" },
} as const;

export type GuardedField = keyof typeof guardedFields;

/**
 * What seeing a field takes: what the route asks for, another permission, being the owner, an administrator, or one who asks for secrets.
 */
export type Needs = "asked" | "owner" | "administrator" | "show_secrets" | PermissionType;

type Shows = { readonly [F in GuardedField]?: Needs };

/** What a row's requests may be about. */
export interface MatrixSubject {
	/** An execution that has ended, and has a child. */
	readonly execution: string;
	/** An execution of the workflow `vault.flow` that has ended, with a secret in one of its tasks. */
	readonly workflow: string;
	/** Id of a new execution that is not to begin for a long time. */
	newExecution(): Promise<string>;
	/** Id of what a rule did about an event. */
	readonly enforcement: string;
	/** Id of the owner's role assignment. */
	readonly ownAssignment: string;
	/** A token of whoever asks, besides the one used. */
	ownToken(): Promise<string>;
	/** Id of a new API key. */
	newKey(): Promise<string>;
	/** Ref of a new action in the pack `default`. */
	newAction(): Promise<string>;
	/** Ref of a new rule in the pack `default`, on the action `default.speak`. */
	newRule(): Promise<string>;
	/** Ref of a new policy in the pack `default`, of an action of its own. */
	newPolicy(): Promise<string>;
	/** Ref of a new action alias in the pack `default`, on the action `default.speak`. */
	newAlias(): Promise<string>;
	/** Ref of a new trigger type in the pack `default`. */
	newTriggerType(): Promise<string>;
	/** Ref of a new trigger. */
	newTrigger(): Promise<string>;
	/** A name that no action has. */
	freshName(): string;
	/** Id of a delivery to the webhook `disk/full`. */
	readonly delivery: string;
	/** Id of the event that came of it. */
	readonly instance: string;
	/** Id of the administrator's role assignment. */
	readonly assignment: string;
}

export interface MatrixRow {
	/** Status for whoever may. */
	readonly ok: number;
	request(subject: MatrixSubject): Promise<MatrixRequest> | MatrixRequest;
	/** Exactly what a role needs; absent: nothing but a credential, or nothing suffices. */
	readonly grants?: Grants;
	/** What a scoped API key needs; default the permission of the route. */
	readonly scopes?: readonly string[];
	/** The record is its owner's: neither a role nor the observer's lets anybody else see it. */
	readonly onlyOwner?: true;
	/** What of the answer takes more than the status: fields that are not named show to nobody. All requests ask for `show_secrets`. */
	readonly shows?: Shows;
	/** The same for what belongs to whoever asks and has no role. */
	readonly owner?: Pick<MatrixRow, "ok" | "request" | "shows">;
	/** Status of everybody else, where the route's permission does not tell. */
	readonly others?: number;
}

export interface MatrixRequest {
	readonly path: string;
	readonly body?: unknown;
}
