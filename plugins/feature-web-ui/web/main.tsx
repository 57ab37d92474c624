import { render } from "preact";
import { useCallback, useEffect } from "preact/hooks";
import type { PageDefinition, PageProps } from "./kit/page.ts";
import { addressBar, matchPath } from "./kit/router.ts";
import { session, startService } from "./kit/service.ts";
import { allPages, pages } from "./pages.ts";
import { Empty } from "./parts/empty.tsx";
import { Fault } from "./parts/fault.tsx";
import { Lazy } from "./parts/lazy.tsx";
import { Shell } from "./parts/shell.tsx";
import { SignIn } from "./parts/sign-in.tsx";
import { applyTheme } from "./parts/theme-choice.tsx";
import * as common from "./texts/common.ts";
import * as texts from "./texts/frame.ts";

/** Shows the current page, the sign-in form or an error, depending on the session. */
function App() {
	switch (session.state.value) {
		case "signed-in":
			return <CurrentPage />;
		case "signed-out":
			return <SignIn />;
		case "unreachable":
			return <Fault error={new Error(session.problem.value)} onRetry={() => void session.check()} />;
		default:
			return <p class="loading">{common.loading}</p>;
	}
}

function CurrentPage() {
	const { path } = addressBar.current.value;
	const [page, values] = findPage(path);
	useEffect(() => {
		document.title = page === undefined ? texts.product : texts.toWindowTitle(page.title);
	}, [page]);
	return (
		<Shell current={page}>
			{page !== undefined && <LazyPage key={page.path} page={page} values={values} />}
			{page === undefined && (
				<Empty title={texts.noPage} step={texts.noPageStep}>
					{" "}
					<a href={`#${pages[0]?.path}`}>{pages[0]?.title}</a>{" "}
				</Empty>
			)}
		</Shell>
	);
}

/** Returns the first page of the service's features whose path matches, with the values of its `:names`. */
function findPage(path: string): readonly [PageDefinition | undefined, PageProps["values"]] {
	for (const page of allPages().filter(({ feature }) => session.has(feature))) {
		const values = matchPath(page.path, path);
		if (values !== undefined) return [page, values];
	}
	return [undefined, {}];
}

function LazyPage({ page, values }: { readonly page: PageDefinition; readonly values: PageProps["values"] }) {
	const load = useCallback(async () => (await page.load()).Page, [page]);
	return <Lazy load={load} props={{ values }} />;
}

applyTheme();
startService();
render(<App />, document.getElementById("app") as HTMLElement);
