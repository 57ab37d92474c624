/** What crypt(3) makes of a password and a setting; undefined when it does not know the scheme. */
export type SystemCrypt = (password: string, setting: string) => string | undefined;

/** Room for the state of every libcrypt there is; the one of older glibc is the largest, with 128 KiB. */
const stateSize = 256 * 1024;
/** Its name differs between distributions. */
const libraries = ["libcrypt.so.1", "libcrypt.so.2"];

let loaded: Promise<SystemCrypt> | undefined;

/** The machine's own crypt(3). Where koffi or libcrypt is missing, one that knows no scheme. */
export function loadSystemCrypt(): Promise<SystemCrypt> {
	loaded ??= load().catch(() => () => undefined);
	return loaded;
}

async function load(): Promise<SystemCrypt> {
	const { default: koffi } = await import("koffi");
	const open = (name: string) => {
		try {
			return [koffi.load(name)];
		} catch {
			return [];
		}
	};
	const [library] = libraries.flatMap(open);
	if (library === undefined) throw new Error("no libcrypt");
	const crypt = library.func("const char *crypt_r(const char *key, const char *setting, void *data)");
	// Allocated once and by koffi: memory of the engine could be moved.
	const state: unknown = koffi.alloc("uint8_t", stateSize);
	return (password, setting) => {
		const text: unknown = crypt(password, setting, state);
		return typeof text === "string" && !text.startsWith("*") ? text : undefined;
	};
}
