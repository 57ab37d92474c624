import type { Principal } from "../kernel/basics/principal.ts";
import type { Reply } from "./replies.ts";

/** A request as far as a record of who asked for what needs it. */
export interface RecordedRequest {
	readonly route: { readonly component: string; readonly method: string; readonly path: string; readonly permission: string };
	/** Whoever asks; nobody, where that is not known. */
	readonly principal: Principal;
	readonly path: Readonly<Record<string, string>>;
	readonly headers: Headers;
	readonly requestId: string;
	/** Address of the other end of the connection, which may be a proxy. */
	peerAddress(): string | undefined;
}

/** Keeps a record of what is changed and by whom, and of what is refused: what the machinery wants of whoever keeps it. */
export interface Recorder {
	/** Answer a request that may change something, so that its changes are recorded with it. Throws what `answer` throws, and `SVC_UNAVAILABLE` where that cannot be done. */
	record(request: RecordedRequest, answer: () => Promise<Reply> | Reply): Promise<Reply> | Reply;
	/** The request was refused. Never rejects. */
	refused(request: RecordedRequest, error: unknown): Promise<void>;
}

/** Where no record is kept. */
export const noRecorder: Recorder = {
	record: (_request, answer) => answer(),
	refused: async () => {},
};
