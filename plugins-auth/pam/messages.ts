/** Request for a conversation. It is sent over the process channel, because other users can read arguments and environment variables. */
export interface PamRequest {
	readonly service: string;
	readonly username: string;
	readonly password: string;
}

export interface PamAnswer {
	/** PAM status, see `statuses.ts`. */
	readonly status: number;
	/** PAM's description of the status. */
	readonly text: string;
	/** Username according to PAM; modules may change the given name. */
	readonly username: string;
	/** Additional delay in milliseconds that PAM modules request for a refusal. */
	readonly delay: number;
	/** Milliseconds that the conversation took. */
	readonly elapsed: number;
}

/** Message from the process: first whether it can use PAM, then one answer to each request. */
export type PamMessage =
	| { readonly type: "ready" }
	| { readonly type: "missing"; readonly message: string }
	| { readonly type: "answer"; readonly answer: PamAnswer };
