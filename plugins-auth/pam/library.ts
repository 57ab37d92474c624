import { SvcError, toErrorMessage } from "../../core/contract/index.ts";
import type { PamAnswer, PamRequest } from "./messages.ts";
import { pamStatus } from "./statuses.ts";

export interface PamLibrary {
	/** One conversation. Blocks until the modules have answered. */
	authenticate(request: PamRequest): PamAnswer;
}

export interface PamLibraryOptions {
	/** Default: the package koffi. */
	importKoffi?(): Promise<typeof import("koffi")>;
	/** Name of the shared library. Default: `libpam.so.0`. */
	readonly name?: string;
}

const hiddenPrompt = 1;
const items = { user: 2, failDelay: 10 } as const;
/** Nothing is printed, and an account without a password lets nobody in. */
const flags = 0x8000 | 0x1;
/** PAM's own limit. */
const mostMessages = 32;

/** Load libpam. `SVC_CONFIG`, naming what is missing, where that is not possible. */
export async function loadPam({ importKoffi = () => import("koffi"), name = "libpam.so.0" }: PamLibraryOptions = {}): Promise<PamLibrary> {
	const { default: koffi } = await importKoffi().catch((cause: unknown) => {
		throw new SvcError("SVC_CONFIG", 'pam needs the package "koffi", which is missing or does not run here: npm install koffi', { cause });
	});
	const library = open(() => koffi.load(name), name);

	const message = koffi.struct("pam_message", { msg_style: "int", msg: "const char *" });
	const response = koffi.struct("pam_response", { resp: "void *", resp_retcode: "int" });
	const converse = koffi.proto("int pam_converse(int count, const pam_message **messages, _Out_ void **responses, void *data)");
	const wait = koffi.proto("void pam_wait(int status, unsigned int microseconds, void *data)");
	koffi.struct("pam_conv", { conv: koffi.pointer(converse), appdata_ptr: "void *" });
	const pam = {
		start: library.func("int pam_start(const char *service, const char *user, const pam_conv *conversation, _Out_ void **handle)"),
		setItem: library.func("int pam_set_item(void *handle, int item, const void *value)"),
		getItem: library.func("int pam_get_item(const void *handle, int item, _Out_ const char **value)"),
		authenticate: library.func("int pam_authenticate(void *handle, int flags)"),
		manageAccount: library.func("int pam_acct_mgmt(void *handle, int flags)"),
		describe: library.func("const char *pam_strerror(void *handle, int status)"),
		end: library.func("int pam_end(void *handle, int status)"),
		// Found through libpam's own dependencies: the modules free with the same C library.
		calloc: library.func("void *calloc(size_t count, size_t size)"),
		strdup: library.func("void *strdup(const char *text)"),
	};

	let password = "";
	let delay = 0;
	const onMessages = koffi.register((count: number, messages: unknown, responses: unknown) => {
		if (count < 1 || count > mostMessages) return pamStatus.conversationFailed;
		const size = koffi.sizeof(response);
		const answers: unknown = pam.calloc(count, size);
		const pointers: unknown[] = koffi.decode(messages, koffi.array("pam_message *", count, "Array"));
		for (const [index, pointer] of pointers.entries()) {
			const { msg_style } = koffi.decode(pointer, message);
			// Every hidden prompt is taken for the password's; others get no answer.
			if (msg_style === hiddenPrompt) koffi.encode(answers, index * size, response, { resp: pam.strdup(password), resp_retcode: 0 });
		}
		koffi.encode(responses, "void *", answers);
		return pamStatus.success;
	}, koffi.pointer(converse));
	// With this in place libpam does not sleep itself: the process is free for the next conversation meanwhile.
	const onDelay = koffi.register((_status: number, microseconds: number) => {
		delay = microseconds / 1000;
	}, koffi.pointer(wait));

	function run(handle: unknown): number {
		pam.setItem(handle, items.failDelay, onDelay);
		const status: number = pam.authenticate(handle, flags);
		return status === pamStatus.success ? pam.manageAccount(handle, flags) : status;
	}

	return {
		authenticate(request) {
			const handles: unknown[] = [null];
			const user: (string | null)[] = [null];
			const begin = performance.now();
			password = request.password;
			delay = 0;
			let status: number = pam.start(request.service, request.username, { conv: onMessages, appdata_ptr: null }, handles);
			const [handle] = handles;
			if (status === pamStatus.success) {
				status = run(handle);
				pam.getItem(handle, items.user, user);
			}
			password = "";
			const text: string = pam.describe(handle, status);
			if (handle !== null) pam.end(handle, status);
			return { status, text, username: user[0] ?? request.username, delay, elapsed: performance.now() - begin };
		},
	};
}

function open<T>(load: () => T, name: string): T {
	try {
		return load();
	} catch (cause) {
		throw new SvcError("SVC_CONFIG", `pam needs the library ${name}, which cannot be loaded: ${toErrorMessage(cause)}`, { cause });
	}
}
