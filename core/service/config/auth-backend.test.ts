import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type AuthBackendPlugin, defineAuthBackend, type SvcConfig, SvcError } from "../../contract/index.ts";
import { authBackend, configWith } from "../../testing/config/config.test-support.ts";
import { resolveConfig } from "./resolve-config.ts";

const made: unknown[] = [];
const directory = (kwargs: { readonly host?: string }): AuthBackendPlugin => {
	made.push(kwargs);
	if (kwargs.host === "bad") throw new SvcError("SVC_CONFIG", "host: must be a name");
	return defineAuthBackend("directory", () => ({ authenticate: async () => undefined }))();
};
const backends = { directory, flat_file: () => authBackend };

function resolveWith(auth: SvcConfig["auth"], env: Record<string, string> = {}, auth_backends: SvcConfig["auth_backends"] = backends) {
	made.length = 0;
	return resolveConfig(configWith({ auth_backends, ...(auth !== undefined && { auth }) }), { env, directory: "/" }).authBackend?.name;
}

const fails = (run: () => unknown, message: RegExp) => assert.throws(run, { code: "SVC_CONFIG", message });

test("a backend is chosen by name with its arguments as JSON or as an object", () => {
	assert.equal(resolveWith({ backend: "directory", backend_kwargs: '{"host":"a"}' }), "directory");
	assert.deepEqual(made, [{ host: "a" }]);
	assert.equal(resolveWith({ backend: "directory", backend_kwargs: { host: "b" } }), "directory");
	assert.deepEqual(made, [{ host: "b" }]);
	resolveWith({ backend: "directory" });
	assert.deepEqual(made, [{}]);
});

test("the environment chooses before the configuration does", () => {
	const env = { SVC_AUTH_BACKEND: "directory", SVC_AUTH_BACKEND_KWARGS: '{"host":"c"}' };
	assert.equal(resolveWith({ backend: authBackend }, env), "directory");
	assert.deepEqual(made, [{ host: "c" }]);
});

test("where none is named the flat file is used, if the configuration has it", () => {
	assert.equal(resolveWith({ enable: true, backend: undefined } as unknown as SvcConfig["auth"]), authBackend.name);
	fails(() => resolveConfig({ ...configWith(), auth: {} }, { env: {}, directory: "/" }), /auth\.backend: required/);
});

test("names and arguments that are wrong are told without showing the arguments", () => {
	fails(() => resolveWith({ backend: "directry" }), /unknown backend "directry"; did you mean.*directory/i);
	fails(() => resolveWith({ backend: "directory" }, {}, {}), /auth_backends of the configuration is empty/);
	for (const backend_kwargs of ["{host:s3cret", "[1]", '"s3cret"']) {
		assert.throws(
			() => resolveWith({ backend: "directory", backend_kwargs }),
			(error: unknown) => error instanceof Error && /backend_kwargs.*JSON object/.test(error.message) && !error.message.includes("s3cret"),
		);
	}
	fails(() => resolveWith({ backend: "directory", backend_kwargs: { host: "bad" } }), /refused by backend "directory": host/);
	fails(() => resolveWith({ backend: authBackend, backend_kwargs: {} }), /backend_kwargs: allowed only if auth.backend is the name/);
});

test.run();
