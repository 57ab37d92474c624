/** What a conversation is about. Sent to the process over its channel: arguments and environment can be read by others. */
export interface PamRequest {
	readonly service: string;
	readonly username: string;
	readonly password: string;
}

export interface PamAnswer {
	/** Of PAM, see `statuses.ts`. */
	readonly status: number;
	/** What PAM calls this status. */
	readonly text: string;
	/** The name that PAM knows the user by; modules may change the one that was given. */
	readonly username: string;
	/** Milliseconds that the modules want a refusal to wait. */
	readonly delay: number;
	/** Milliseconds that the modules worked. */
	readonly elapsed: number;
}

/** From the process: first whether it can work at all, then one answer to each request. */
export type PamMessage =
	| { readonly type: "ready" }
	| { readonly type: "missing"; readonly message: string }
	| { readonly type: "answer"; readonly answer: PamAnswer };
