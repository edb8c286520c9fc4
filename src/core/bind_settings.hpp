// A model's settings, from a dict that names them.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <map>
#include <string>

#include "state.hpp"

namespace nb = nanobind;

namespace poise {

template <class Choice>
Choice chosen(const nb::dict& settings, const char* key, const std::map<std::string, Choice>& choices) {
    const std::string name = nb::cast<std::string>(settings[key]);
    const auto found = choices.find(name);
    if (found == choices.end()) throw nb::value_error((std::string(key) + " has no choice '" + name + "'").c_str());
    return found->second;
}

inline const std::map<std::string, Method> kMethods{
    {"ogd", Method::ogd},     {"hgd", Method::hgd},     {"ohgd", Method::ohgd},   {"csogd", Method::csogd},
    {"oor", Method::oor},     {"our", Method::our},     {"ohr", Method::ohr},     {"osmote", Method::osmote},
    {"csrda", Method::csrda}, {"ob", Method::ob},       {"okb", Method::okb},     {"oob", Method::oob},
    {"oub", Method::oub},     {"owob", Method::owob},   {"owub", Method::owub},   {"ouob", Method::ouob},
    {"oeb", Method::oeb},     {"weob", Method::weob},   {"oadab", Method::oadab}, {"oadac2", Method::oadac2},
    {"ocsb2", Method::ocsb2}, {"orusb", Method::orusb}, {"own", Method::own}};

inline void choose(const nb::dict& given, Settings& set) {
    set.loss = chosen<Loss>(
        given, "loss",
        {{"perceptron", Loss::perceptron}, {"hinge", Loss::hinge}, {"logistic", Loss::logistic}, {"softmax", Loss::softmax}});
    set.method = chosen<Method>(given, "method", kMethods);
    set.clamp =
        chosen<Clamp>(given, "clamp", {{"none", Clamp::none}, {"value", Clamp::value}, {"assumption4", Clamp::assumption4}});
    set.many_classes = chosen<ManyClasses>(
        given, "multiclass",
        {{"complement", ManyClasses::complement}, {"inverse", ManyClasses::inverse}, {"printed", ManyClasses::printed}});
    set.schedule =
        chosen<Schedule>(given, "learning_rate",
                         {{"constant", Schedule::constant}, {"sqrt", Schedule::sqrt}, {"invscaling", Schedule::invscaling}});
    set.learning = chosen<Learning>(given, "learning",
                                    {{"linear", Learning::linear}, {"kernel", Learning::kernel}, {"fourier", Learning::fourier}});
    set.kernel = chosen<KernelKind>(given, "kernel",
                                    {{"rbf", KernelKind::rbf}, {"poly", KernelKind::poly}, {"linear", KernelKind::linear}});
    set.coin = chosen<Coin>(given, "coin",
                            {{"coin", Coin::fair}, {"sqrt", Coin::root}, {"literal", Coin::literal}, {"shares", Coin::shares}});
}

inline Settings settings_of(const nb::dict& given) {
    Settings set;
    choose(given, set);
    const std::pair<const char*, bool Settings::*> switches[] = {
        {"intercept", &Settings::intercept},           {"average", &Settings::average},
        {"unit_rows", &Settings::unit_rows},           {"skip_missing", &Settings::skip_missing},
        {"squared_pull", &Settings::squared_pull},     {"together", &Settings::together},
        {"repeats_weigh", &Settings::repeats_weigh},   {"minority_rates", &Settings::minority_rates},
        {"plain_votes", &Settings::plain_votes},       {"plain_rates", &Settings::plain_rates},
        {"by_counts", &Settings::by_counts},           {"one_synthetic", &Settings::one_synthetic},
        {"margin_cost", &Settings::margin_cost},       {"squared_loss", &Settings::squared_loss},
        {"frequency_cost", &Settings::frequency_cost}, {"drops_smallest", &Settings::drops_smallest}};
    for (const auto& [name, field] : switches) set.*field = nb::cast<bool>(given[name]);
    const std::pair<const char*, double Settings::*> numbers[] = {{"eta0", &Settings::eta0},
                                                                  {"power_t", &Settings::power},
                                                                  {"slowest_average", &Settings::slowest_average},
                                                                  {"largest_weight", &Settings::largest_weight},
                                                                  {"memory", &Settings::memory},
                                                                  {"radius", &Settings::radius},
                                                                  {"ir", &Settings::ir},
                                                                  {"decay", &Settings::decay},
                                                                  {"positive_cost", &Settings::positive_cost},
                                                                  {"negative_cost", &Settings::negative_cost},
                                                                  {"kept", &Settings::kept},
                                                                  {"threshold", &Settings::threshold},
                                                                  {"strength", &Settings::strength},
                                                                  {"gamma", &Settings::gamma},
                                                                  {"degree", &Settings::degree},
                                                                  {"coef0", &Settings::coef0}};
    for (const auto& [name, field] : numbers) set.*field = nb::cast<double>(given[name]);
    const std::pair<const char*, uint64_t Settings::*> counts[] = {
        {"form", &Settings::form},     {"members", &Settings::members}, {"neighbors", &Settings::neighbors},
        {"buffer", &Settings::buffer}, {"budget", &Settings::budget},   {"features", &Settings::features},
        {"memo", &Settings::memo},     {"seed", &Settings::seed},       {"wave_seed", &Settings::wave_seed}};
    for (const auto& [name, field] : counts) set.*field = nb::cast<uint64_t>(given[name]);
    return set;
}

}  // namespace poise
