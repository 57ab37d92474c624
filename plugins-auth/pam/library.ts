import type { LibraryHandle } from "koffi";
import { SvcError, toErrorMessage } from "../../core/contract/index.ts";
import type { PamAnswer, PamRequest } from "./messages.ts";
import { pamStatus } from "./statuses.ts";

export interface PamLibraryOptions {
	/** Loads koffi. Default: imports the package. */
	importKoffi?(): Promise<typeof import("koffi")>;
	/** Name of the shared library. Default: `libpam.so.0`. */
	readonly name?: string;
}

const hiddenPrompt = 1;
const items = { user: 2, failDelay: 10 } as const;
/** `PAM_SILENT` and `PAM_DISALLOW_NULL_AUTHTOK`: no messages, and no accounts without a password. */
const flags = 0x8000 | 0x1;
/** Maximum messages in one call of the conversation function, a limit of PAM. */
const maxMessages = 32;

/** Loads libpam. Throws `SVC_CONFIG` with the missing requirement if that is impossible. */
export async function loadPam({ importKoffi = () => import("koffi"), name = "libpam.so.0" }: PamLibraryOptions = {}): Promise<PamLibrary> {
	const { default: koffi } = await importKoffi().catch((cause: unknown) => {
		throw new SvcError("SVC_CONFIG", 'pam needs the package "koffi", which is missing or does not run here: npm install koffi', { cause });
	});
	const library = open(() => koffi.load(name), name);
	return new PamLibrary(koffi, library);
}

type Koffi = typeof import("koffi")["default"];

/** Carries out one conversation at a time, because the callbacks of libpam use the state in this object. */
export class PamLibrary {
	readonly #koffi: Koffi;
	readonly #types: PamTypes;
	readonly #pam: PamFunctions;
	readonly #onMessages: bigint;
	readonly #onDelay: bigint;
	#password = "";
	#delay = 0;

	constructor(koffi: Koffi, library: LibraryHandle) {
		this.#koffi = koffi;
		this.#types = defineTypes(koffi);
		this.#pam = findFunctions(library);
		const { converse, wait } = this.#types;
		this.#onMessages = koffi.register(
			(count: number, messages: unknown, responses: unknown) => this.#converse(count, messages, responses),
			koffi.pointer(converse),
		);
		// With this callback, libpam does not sleep after a refusal, so that the process is free for the next conversation.
		this.#onDelay = koffi.register((_status: number, microseconds: number) => {
			this.#delay = microseconds / 1000;
		}, koffi.pointer(wait));
	}

	/** Carries out one conversation. Blocks until the modules have responded. */
	authenticate(request: PamRequest): PamAnswer {
		const pam = this.#pam;
		const handles: unknown[] = [null];
		const user: (string | null)[] = [null];
		const begin = performance.now();
		this.#password = request.password;
		this.#delay = 0;
		let status: number = pam.start(request.service, request.username, { conv: this.#onMessages, appdata_ptr: null }, handles);
		const [handle] = handles;
		if (status === pamStatus.success) {
			status = this.#run(handle);
			pam.getItem(handle, items.user, user);
		}
		this.#password = "";
		const text: string = pam.describe(handle, status);
		if (handle !== null) pam.end(handle, status);
		return { status, text, username: user[0] ?? request.username, delay: this.#delay, elapsed: performance.now() - begin };
	}

	#run(handle: unknown): number {
		const pam = this.#pam;
		pam.setItem(handle, items.failDelay, this.#onDelay);
		const status: number = pam.authenticate(handle, flags);
		return status === pamStatus.success ? pam.manageAccount(handle, flags) : status;
	}

	#converse(count: number, messages: unknown, responses: unknown): number {
		if (count < 1 || count > maxMessages) return pamStatus.conversationFailed;
		const koffi = this.#koffi;
		const { message, response } = this.#types;
		const size = koffi.sizeof(response);
		const answers: unknown = this.#pam.calloc(count, size);
		const pointers: unknown[] = koffi.decode(messages, koffi.array("pam_message *", count, "Array"));
		for (const [index, pointer] of pointers.entries()) {
			const { msg_style } = koffi.decode(pointer, message);
			// Treat every hidden prompt as the password prompt; other prompts get no answer.
			if (msg_style !== hiddenPrompt) continue;
			koffi.encode(answers, index * size, response, { resp: this.#pam.strdup(this.#password), resp_retcode: 0 });
		}
		koffi.encode(responses, "void *", answers);
		return pamStatus.success;
	}
}

type PamTypes = ReturnType<typeof defineTypes>;

/** Defines the structures and callbacks of libpam that its functions use. */
function defineTypes(koffi: Koffi) {
	const message = koffi.struct("pam_message", { msg_style: "int", msg: "const char *" });
	const response = koffi.struct("pam_response", { resp: "void *", resp_retcode: "int" });
	const converse = koffi.proto("int pam_converse(int count, const pam_message **messages, _Out_ void **responses, void *data)");
	const wait = koffi.proto("void pam_wait(int status, unsigned int microseconds, void *data)");
	koffi.struct("pam_conv", { conv: koffi.pointer(converse), appdata_ptr: "void *" });
	return { message, response, converse, wait };
}

type PamFunctions = ReturnType<typeof findFunctions>;

function findFunctions(library: LibraryHandle) {
	return {
		start: library.func("int pam_start(const char *service, const char *user, const pam_conv *conversation, _Out_ void **handle)"),
		setItem: library.func("int pam_set_item(void *handle, int item, const void *value)"),
		getItem: library.func("int pam_get_item(const void *handle, int item, _Out_ const char **value)"),
		authenticate: library.func("int pam_authenticate(void *handle, int flags)"),
		manageAccount: library.func("int pam_acct_mgmt(void *handle, int flags)"),
		describe: library.func("const char *pam_strerror(void *handle, int status)"),
		end: library.func("int pam_end(void *handle, int status)"),
		// Loaded through libpam, because PAM modules free this memory and must use the same C library.
		calloc: library.func("void *calloc(size_t count, size_t size)"),
		strdup: library.func("void *strdup(const char *text)"),
	};
}

function open<T>(load: () => T, name: string): T {
	try {
		return load();
	} catch (cause) {
		throw new SvcError("SVC_CONFIG", `pam needs the library ${name}, which cannot be loaded: ${toErrorMessage(cause)}`, { cause });
	}
}
