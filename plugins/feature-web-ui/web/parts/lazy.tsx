import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useErrorBoundary } from "preact/hooks";
import * as common from "../texts/common.ts";
import * as texts from "../texts/frame.ts";
import { Fault } from "./fault.tsx";

interface LazyProps<P extends object> {
	/** Loads the component. Must be the same function on every render; a different function loads again. */
	readonly load: () => Promise<ComponentType<P>>;
	readonly props: P;
}

/**
 * Loads a component when it is first rendered. After an upgrade of the service, its file may no longer exist; the retry button then reloads
 * the whole page.
 */
export function Lazy<P extends object>({ load, props }: LazyProps<P>) {
	const loaded = useSignal<{ readonly Shown: ComponentType<P> } | undefined>(undefined);
	const failure = useSignal<Error | undefined>(undefined);
	const [broken, reset] = useErrorBoundary();
	useEffect(() => {
		loaded.value = undefined;
		load().then(
			(Shown) => {
				loaded.value = { Shown };
			},
			(error: unknown) => {
				failure.value = error instanceof Error ? error : new Error(String(error));
			},
		);
	}, [load, loaded, failure]);
	if (failure.value !== undefined) return <Fault error={failure.value} onRetry={() => location.reload()} />;
	if (broken !== undefined) return <Fault error={new Error(texts.broken(String(broken)))} onRetry={reset} />;
	if (loaded.value === undefined) return <p class="loading">{common.loading}</p>;
	const { Shown } = loaded.value;
	return <Shown {...props} />;
}
